// The paper's faces: u* of ARKS on test images, beside the images. The file has
//   [train]     flags of the model; [evaluate] the attack, by default the worst points of ARKS itself
//   seed        of the model; title   over the picture
#include "study/kinds.h"
#include "support/file.h"
#include "support/json_text.h"

#include <arks/support/error.h>

namespace arks::study {

void study_pictures(Study& study) {
  const auto& settings = study.settings();
  const auto train = study.flags(settings.table("train"), "train");
  auto evaluate = study.flags(settings.table("evaluate"), "evaluate");
  evaluate["title"] = settings.text("title");
  if (!study.stand_in_note().empty()) evaluate["title"] = study.stand_in_note();
  const auto model = study.train_step(train, settings.whole("seed"));
  study.settings_are_read();
  evaluate["grid"] = "@{here}/grid.svg,@{here}/grid.png";
  const auto attack = study.model_step("evaluate", {key_of(model)}, evaluate, study.data() + "-pictures");
  const auto outcomes = study.run({model, attack});
  if (study.plan_only() || !outcomes.back().done()) return;
  const auto drawn = study.store().folder(outcomes.back().key) / "grid";
  study.draw([&](const std::filesystem::path& file) {
    write_file_atomically(file, read_file(drawn.string() + file.extension().string()));
  });
  const auto point = parse_json(study.store().result(outcomes.back().key)).at("points").at(0);
  study.write(study.experiment().id + ".csv",
              c10::str("attack,eps,n,error\n", point.at("attack").get<std::string>(), ",", json_line(point.at("eps")),
                       ",", json_line(point.at("n")), ",", json_line(point.at("error")), "\n"));
}

}  // namespace arks::study
