// Certificates of several models side by side, on the same axes. The file has
//   [train]     flags of all models; [[panel]] title and the flags that make its model
//   [certify]   flags of arks certify
//   seed        of the models
#include "study/kinds.h"
#include "study/result_table.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks::study {

namespace {

using Json = nlohmann::ordered_json;

double number_or_gap(const Json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

Curve curve_of(const Json& points, const std::string& key, const std::string& label, CurveKind kind) {
  Curve curve;
  curve.label = label;
  curve.kind = kind;
  for (const auto& point : points) {
    curve.x.push_back(point.at("rho").get<double>());
    curve.y.push_back(number_or_gap(point.at(key)));
  }
  return curve;
}

/// The bound by its own name, the estimate, which proves nothing, and what distributions within rho attain.
Panel panel_of(const std::string& title, const Json& certificate) {
  Panel panel;
  panel.title = title;
  const auto& points = certificate.at("curve");
  const auto label = certificate.at("label").get<std::string>();
  panel.curves.push_back(curve_of(points, "bound", "bound, " + label, CurveKind::kMeasured));
  if (label != "estimated") {
    panel.curves.push_back(curve_of(points, "estimated", "estimated (proves nothing)", CurveKind::kPoints));
  }
  panel.curves.push_back(curve_of(points, "attained", "attained", CurveKind::kLine));
  return panel;
}

void add_rows(ResultTable& table, const std::string& title, const Json& certificate) {
  for (const auto& point : certificate.at("curve")) {
    std::vector<std::string> row{title, certificate.at("label").get<std::string>(),
                                 certificate.at("quantity").get<std::string>()};
    for (const char* key : {"rho", "bound", "bound_paper", "estimated", "attained"}) {
      row.push_back(point.at(key).is_number() ? shortest(point.at(key).get<double>()) : "");
    }
    table.add_row(row);
  }
}

std::string constants(const std::string& title, const Json& certificate) {
  const auto value = [&](const char* key) {
    const auto& found = certificate.at(key);
    return found.is_number() ? shortest(std::round(found.get<double>() * 10) / 10) : std::string("none");
  };
  return c10::str(title, ": G ", value("lipschitz"), ", L ", value("curvature"), ", ",
                  json_line(certificate.at("samples")), " samples, cost ", certificate.at("cost").get<std::string>());
}

}  // namespace

void study_certificates(Study& study) {
  const auto& settings = study.settings();
  const auto train = study.flags(settings.table("train"), "train");
  const auto certify = study.flags(settings.table("certify"), "certify");
  const auto seed = settings.whole("seed");
  std::vector<std::string> titles;
  std::vector<Step> steps;
  for (const auto& table : settings.tables("panel")) {
    titles.push_back(table.text("title"));
    const auto model = study.train_step(merged(train, study.flags(table, "train")), seed);
    steps.push_back(model);
    steps.push_back(study.model_step("certify", {key_of(model)}, certify, "certify-" + model.name));
  }
  study.settings_are_read();
  const auto outcomes = study.run(steps);
  if (study.plan_only()) return;
  std::vector<Panel> panels;
  ResultTable table({"model", "label", "quantity", "rho", "bound", "bound_paper", "estimated", "attained"});
  std::string quantity;
  for (size_t i = 0; i < titles.size(); ++i) {
    const auto& outcome = outcomes[2 * i + 1];
    if (!outcome.done()) continue;
    const auto certificate = parse_json(study.store().result(outcome.key));
    panels.push_back(panel_of(titles[i], certificate));
    add_rows(table, titles[i], certificate);
    quantity = certificate.at("quantity") == "log_loss" ? "mean log loss" : "mean loss";
    study.tell(constants(titles[i], certificate));
  }
  if (panels.empty()) return;
  study.write(study.experiment().id + ".csv", table.csv());
  study.draw([&](const std::filesystem::path& file) {
    write_figure_panels(file, panels, FigureOptions().x_label("radius ρ: mean of ½‖u−x‖²").y_label(quantity));
  });
}

}  // namespace arks::study
