#include "cli/command.h"
#include "cli/data_drift.h"
#include "cli/data_show.h"
#include "cli/load_data.h"
#include "cli/messages.h"
#include "cli/narrow.h"
#include "data/dataset_folders.h"
#include "data/registry.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/data/data_dir.h>
#include <arks/support/error.h>
#include <arks/version.h>
#include <torch/version.h>

#include <iostream>

namespace arks::cli {

namespace {

class DataCommandSettings : public SettingGroup {
 public:
  DataCommandSettings() : SettingGroup("What") {}

  Setting<std::string> data{this, data_setting("same as NAME; lets a TOML file name the data")};
  Setting<bool> force{this,
                      yes_no("force", "fetch: replace a damaged set; overwrite the file of --json").otherwise(false)};
};

/// Indented, in lines that fit a terminal.
std::string indented(const std::string& text) {
  const std::string kIndent(4, ' ');
  std::string lines;
  for (const auto& line : lines_within(text, kTerminal - kIndent.size())) lines += kIndent + line + "\n";
  return lines;
}

class DataCommand : public Command {
 public:
  explicit DataCommand(CommandLine& line)
      : Command(line.add_command(
            "data", "List, inspect, compare, fetch and verify data sets",
            "list    all known sets, where each was found, how to get those that are missing\n"
            "show    load NAME, a data set or your own data as for arks train --data, and describe it\n"
            "drift   compare training data or a run with data from the field, arks data drift NAME FIELD: each\n"
            "        column, all inputs together, and the sigma, gamma and eps that cover the difference\n"
            "fetch   download the set NAME, check it and put it into --data-dir, else\n"
            "        $ARKS_DATA_DIR, else ~/.local/share/arks; continues where it was interrupted\n"
            "verify  read every file, check counts, labels and checksums\n\n"
            "Example:\n  arks data show iris")) {
    flags_.argument("ACTION", action_, "", /*required=*/true, actions());
    flags_.argument("NAME", name_, "data set; show, drift: also FILE or FOLDER; drift: also RUN",
                    /*required=*/false, dataset_names(), /*is_path=*/true);
    flags_.argument("FIELD", field_, "drift: data from the field", /*required=*/false, {}, /*is_path=*/true);
    flags_.add(own_);
    settings_.add_to(flags_, /*validates=*/false);
    flags_.add(common_);
  }

  void fill_defaults() override {
    own_.fill();
    common_.fill();
    settings_.choose(own_.data.value_or(name_));
  }

  int run() override {
    apply(common_);
    own_.fill();
    json_ = common_.json.value_or("");
    folder_ = common_.data_folder();
    if (own_.data.has_value()) name_ = *own_.data;
    check_outputs({&common_.json}, *own_.force, files_read({name_, field_}));
    say_of_engine("not used; data are read and compared on libtorch");
    if (action_ == "drift") return drift();
    ARKS_CHECK(field_.empty(), "data ", action_, ": one name is expected, got also ", field_);
    if (action_ == "show") return show();
    const auto given = settings_.given_flags();
    ARKS_CHECK(given.empty(), given.front(), " is only for arks data show and drift");
    if (!name_.empty()) find_dataset(name_);  // an unknown name is an error for every action
    if (action_ == "list") return list();
    if (action_ == "verify") return verify();
    if (action_ == "fetch") return fetch();
    throw Error("data: unknown action '" + action_ + "'" + did_you_mean(action_, actions()) +
                "; known: " + join(actions()));
  }

 private:
  static std::vector<std::string> actions() { return {"list", "show", "drift", "fetch", "verify"}; }
  bool chosen(const std::string& name) const { return name_.empty() || name_ == name; }

  int list() const {
    std::string text;
    nlohmann::ordered_json sets = nlohmann::ordered_json::array();
    for (const auto& status : list_datasets(folder_)) {
      if (!chosen(status.name)) continue;
      text += status.name + ": " + find_dataset(status.name).description + "\n";
      text += indented(status.found ? "found: " + status.where + ", " + status.detail : "not found: " + status.detail);
      sets.push_back(
          {{"name", status.name}, {"found", status.found}, {"where", status.where}, {"detail", status.detail}});
    }
    if (json_ != "-") std::cout << text;
    write_json(sets);
    return kDone;
  }

  int show() {
    ARKS_CHECK(!name_.empty(), "data show: a data set, file or folder is needed");
    const auto data = resolved_data(name_);
    settings_.check_used(data);
    const auto known = settings_.options_of_known(folder_).image_files(image_files_options(common_));
    print(show_data(data, settings_.own, known), "data_set");
    return kDone;
  }

  int drift() {
    ARKS_CHECK(!name_.empty() && !field_.empty(), "data drift: training data (or a run) and data from the field are ",
               "needed: arks data drift train.csv field.csv");
    print(compare_data(name_, field_, settings_, common_), "drift");
    return kDone;
  }

  void print(const DataView& view, const char* name) const {
    for (const auto& note : view.notes) note_of(note);
    if (json_ != "-") std::cout << view.text;
    write_json(view.json, name);
    if (!view.error.empty()) throw Error(view.error);
  }

  int verify() const {
    nlohmann::ordered_json sets = nlohmann::ordered_json::array();
    int64_t verified = 0;
    for (const auto& status : list_datasets(folder_)) {
      if (!chosen(status.name) || (name_.empty() && !status.found)) continue;
      verify_dataset(status.name, folder_, json_ == "-" ? std::cerr : std::cout);
      sets.push_back({{"name", status.name}, {"verified", true}});
      ++verified;
    }
    ARKS_CHECK(verified > 0, "no data set found in ", folder_.string(), "; arks data list says how to get them");
    write_json(sets);
    return kDone;
  }

  int fetch() const {
    ARKS_CHECK(!name_.empty(), "data fetch: a data set is needed; known: ", join(dataset_names()));
    const auto& entry = find_dataset(name_);
    std::string where;
    if (entry.fetch) {
      catch_interrupts();
      where = entry
                  .fetch(FetchOptions(common_.data_dir.has_value() ? folder_ : fetch_data_dir())
                             .force(*own_.force)
                             .stop_requested(interrupted)
                             .say([&](const std::string& line) { Command::say(name_ + ": " + line); }))
                  .string();
    } else {
      const auto status = entry.status(folder_);
      ARKS_CHECK(status.found, name_, " cannot be fetched automatically: ", status.detail);
      where = status.where;
    }
    if (json_ != "-") std::cout << name_ << ": " << where << "\n";
    nlohmann::ordered_json sets = nlohmann::ordered_json::array();
    sets.push_back({{"name", name_}, {"where", where}});
    write_json(sets);
    return kDone;
  }

  void write_json(const nlohmann::ordered_json& sets, const char* name = "data_sets") const {
    if (json_.empty()) return;
    const nlohmann::ordered_json document{
        {"command", "data " + action_}, {name, sets}, {"versions", {{"arks", kVersion}, {"libtorch", TORCH_VERSION}}}};
    write_output(json_, json_text(document));
  }

  std::string action_, name_, field_, json_;
  DataCommandSettings own_;
  SourceSettings settings_;
  std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<Command> make_data_command(CommandLine& line) {
  return std::make_unique<DataCommand>(line);
}

}  // namespace arks::cli
