#include "cli/command.h"
#include "cli/data_show.h"
#include "cli/load_data.h"
#include "data/dataset_folders.h"
#include "data/registry.h"
#include "report/table.h"
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

class DataCommand : public Command {
 public:
  explicit DataCommand(CommandLine& line)
      : Command(line.add_command(
            "data", "List, inspect, fetch and verify data sets",
            "list    all known sets, where each was found, how to get those that are missing\n"
            "show    load NAME, a data set or your own data as for arks train --data, and describe it\n"
            "fetch   download the set NAME, check it and put it into --data-dir, else\n"
            "        $ARKS_DATA_DIR, else ~/.local/share/arks; continues where it was interrupted\n"
            "verify  read every file, check counts, labels and checksums\n\n"
            "Example:\n  arks data show iris")) {
    flags_.argument("ACTION", action_, "", /*required=*/true, actions());
    flags_.argument("NAME", name_, "data set; show: also FILE or FOLDER",
                    /*required=*/false, dataset_names(), /*is_path=*/true);
    flags_.add(own_);
    settings_.add_to(flags_);
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
    check_output_file(json_, *own_.force, "--json");
    folder_ = common_.data_folder();
    if (own_.data.has_value()) name_ = *own_.data;
    if (action_ == "show") return show();
    const auto given = settings_.given_flags();
    ARKS_CHECK(given.empty(), given.front(), " is only for arks data show");
    if (!name_.empty()) find_dataset(name_);  // an unknown name is an error for every action
    if (action_ == "list") return list();
    if (action_ == "verify") return verify();
    if (action_ == "fetch") return fetch();
    throw Error("data: unknown action '" + action_ + "'" + did_you_mean(action_, actions()) +
                "; known: " + join(actions()));
  }

 private:
  static std::vector<std::string> actions() { return {"list", "show", "fetch", "verify"}; }
  bool chosen(const std::string& name) const { return name_.empty() || name_ == name; }

  int list() const {
    Table table({"data set", "what", "found in", "detail"});
    nlohmann::ordered_json sets = nlohmann::ordered_json::array();
    for (const auto& status : list_datasets(folder_)) {
      if (!chosen(status.name)) continue;
      table.add_row(
          {status.name, find_dataset(status.name).description, status.found ? status.where : "-", status.detail});
      sets.push_back(
          {{"name", status.name}, {"found", status.found}, {"where", status.where}, {"detail", status.detail}});
    }
    if (json_ != "-") std::cout << table.str();
    write_json(sets);
    return kDone;
  }

  int show() {
    ARKS_CHECK(!name_.empty(), "data show: a data set, file or folder is needed");
    const auto data = resolved_data(name_);
    settings_.check_used(data);
    const auto known = settings_.options_of_known(folder_).image_files(image_files_options(common_));
    const auto view = show_data(data, settings_.own, known);
    if (json_ != "-") std::cout << view.text;
    write_json(view.json, "data_set");
    return kDone;
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

  std::string action_, name_, json_;
  DataCommandSettings own_;
  SourceSettings settings_;
  std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<Command> make_data_command(CommandLine& line) {
  return std::make_unique<DataCommand>(line);
}

}  // namespace arks::cli
