#include "cli/command_line.h"

#include "cli/messages.h"
#include "data/registry.h"
#include "engine/processor.h"
#include "settings/toml_file.h"
#include "support/contains.h"
#include "support/environment.h"
#include "support/file.h"
#include "support/text.h"
#include "train/run_folder.h"

#include <ATen/Parallel.h>
#include <arks/support/error.h>
#include <arks/support/process.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDataTable = "data";
constexpr const char* kSource = "source";  // what --data is called in the table [data]

/// The keys that the table [data] may have.
std::vector<std::string> data_keys(const Flags& flags) {
  std::vector<std::string> keys;
  for (const auto& name : flags.names()) {
    if (flags.find(name)->in_data()) keys.push_back(name == kDataTable ? kSource : name);
  }
  return keys;
}

class ConfigReader {
 public:
  ConfigReader(const std::string& what, const Flags& flags) : what_(what), flags_(flags) {}

  Given read(const toml::table& root) {
    for (const auto& key : keys_in_order(root)) {
      const auto& node = *root.get(key);
      if (const auto* table = node.as_table()) {
        ARKS_CHECK(key == kDataTable, what_, ": unknown table [", key, "]", did_you_mean(key, {kDataTable}),
                   "; the only table is [data]");
        read_data(*table);
      } else {
        read_plain(key, node);
      }
    }
    return std::move(given_);
  }

 private:
  void read_plain(const std::string& key, const toml::node& node) {
    ARKS_CHECK(key != kSource || flags_.find(key) != nullptr, what_, ": '", key,
               "' is a key of the table [data]; outside it, write data = ...");
    const auto* setting = flags_.find(key);
    ARKS_CHECK(key != "help" && (setting == nullptr || !setting->only_typed()), what_, ": '", key,
               "' belongs on the command line, not in a configuration file");
    ARKS_CHECK(setting != nullptr, what_, ": unknown key '", key, "'", did_you_mean(key, flags_.names()));
    add(key, text_for(*setting, node, what_ + ": '" + key + "'"));
  }

  std::string text_for(const AnySetting& setting, const toml::node& node, const std::string& where) const {
    ARKS_CHECK(!node.is_array() || setting.takes_list(), where, " takes one value, got the list ", inline_toml(node));
    const auto value = flag_text(node, where);
    const auto rule = path_rule(setting);
    return rule.has_value() ? path_from_folder(fs::path(what_).parent_path(), value, *rule) : value;
  }

  void read_data(const toml::table& table) {
    const auto known = data_keys(flags_);
    for (const auto& key : keys_in_order(table)) {
      const bool is_known = contains(known, key);
      ARKS_CHECK(!table.get(key)->is_table(), what_, ": unknown table [data.", key, "]; the only table is [data]");
      ARKS_CHECK(is_known || key != kDataTable, what_, ": unknown key 'data' in [data] (did you mean 'source'?)");
      ARKS_CHECK(is_known || flags_.find(key) == nullptr, what_, ": '", key,
                 "' does not belong in [data]; put it above that table");
      ARKS_CHECK(is_known, what_, ": unknown key '", key, "' in [data]", did_you_mean(key, known));
      const auto name = key == kSource ? kDataTable : key;
      const auto& setting = *flags_.find(name);
      add(name, text_for(setting, *table.get(key), what_ + ": '" + key + "' in [data]"));
    }
  }

  void add(const std::string& name, const std::string& value) {
    ARKS_CHECK(seen_.insert(name).second, what_, ": '", name, "' is given twice: inside [data] and outside it");
    given_.emplace_back(name, value);
  }

  const std::string& what_;
  const Flags& flags_;
  std::set<std::string> seen_;
  Given given_;
};

}  // namespace

CommonSettings::CommonSettings() : SettingGroup("Common") {}
CommonSettings::~CommonSettings() = default;

fs::path CommonSettings::data_folder() const {
  return data_dir.has_value() ? fs::path(*data_dir) : default_data_dir();
}

namespace {

bool environment_says_threads() {
  return !environment_variable("OMP_NUM_THREADS").empty();
}

}  // namespace

void apply(CommonSettings& settings) {
  engine::portable_path();  // says so when the environment asks for a processor that is none
  keep_freed_memory();
  set_blas_threads(1);
  const auto threads = settings.threads.value_or(0);
  // torch's own default is one thread on some virtual machines
  if (threads > 0) {
    at::set_num_threads(static_cast<int>(threads));
  } else if (!environment_says_threads()) {
    at::set_num_threads(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  }
  settings.threads.found(at::get_num_threads());
  if (const auto advice = slow_blas_advice()) warn_of(*advice);
}

namespace {

int64_t weights_of(const SupervisedProblem& model) {
  int64_t count = 0;
  for (const auto& weight : model.model().parameters()) count += weight.numel();
  return count;
}

void fit_threads_to(int64_t weights, CommonSettings& settings, const DatasetInfo& samples) {
  constexpr int64_t kFew = 100000;
  const bool said = settings.threads.given() || environment_says_threads();
  if (said || samples.input_shape.size() != 1 || weights > kFew) return;
  at::set_num_threads(1);
  settings.threads.found(1);
}

}  // namespace

void fit_threads(CommonSettings& settings, const DatasetInfo& samples,
                 const std::vector<std::unique_ptr<SupervisedProblem>>& models) {
  int64_t weights = 0;
  for (const auto& model : models) weights += weights_of(*model);
  fit_threads_to(weights, settings, samples);
}

void fit_threads(CommonSettings& settings, const DatasetInfo& samples, const SupervisedProblem& model) {
  fit_threads_to(weights_of(model), settings, samples);
}

Given read_config(const std::string& toml, const std::string& what, const Flags& flags) {
  return ConfigReader(what, flags).read(parse_toml(toml, what));
}

void check_output_file(const std::string& path, bool force, const std::string& flag) {
  if (path.empty() || path == "-") return;
  std::error_code ignored;
  const auto ending = lower_case(fs::path(path).extension().string());
  ARKS_CHECK(!contains(std::vector<std::string>{".gz", ".zip", ".bz2", ".xz", ".zst"}, ending), flag, ": ", path,
             ": predictions and reports are written as plain text; leave ", ending, " away");
  ARKS_CHECK(!fs::is_directory(path, ignored), flag, ": ", path, " is a folder; expected a file");
  ARKS_CHECK(!fs::exists(path, ignored) || fs::is_regular_file(path, ignored), flag, ": ", path,
             " is not a regular file; use - for standard output");
  ARKS_CHECK(force || !fs::exists(path, ignored), flag, ": ", path, " exists; --force overwrites it");
  const auto folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  ARKS_CHECK(fs::is_directory(folder, ignored), flag, ": the folder ", folder.string(), " does not exist");
  ARKS_CHECK(::access(folder.c_str(), W_OK) == 0, flag, ": cannot write into ", folder.string());
}

namespace {

/// As far as it exists.
fs::path resolved_path(const fs::path& file) {
  std::error_code failure;
  const auto found = fs::weakly_canonical(fs::absolute(file), failure);
  return failure ? fs::absolute(file).lexically_normal() : found;
}

/// A list with names, "winter=w.csv,b.csv", as its files.
std::vector<fs::path> files_of(const std::string& list) {
  std::error_code ignored;
  if (fs::exists(list, ignored)) return {list};
  std::vector<fs::path> files;
  for (const auto& part : split(list, ',')) {
    files.emplace_back(fs::exists(part, ignored) ? part : part.substr(part.find('=') + 1));
  }
  return files;
}

/// Of a run its own files; of other folders whatever is there already.
bool is_of_folder(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  const auto within = resolved_path(file).lexically_relative(resolved_path(folder));
  if (within.empty() || *within.begin() == "..") return false;
  return holds_a_run(folder) ? is_run_file(within) : fs::exists(file, ignored);
}

void check_not_read(const std::string& output, const std::string& flag, const std::vector<std::string>& inputs) {
  if (output.empty() || output == "-") return;
  std::error_code ignored;
  for (const auto& input : inputs) {
    for (const auto& file : files_of(input)) {
      const auto parent = fs::absolute(file).parent_path();  // of a checkpoint the run
      const auto folder = is_run_file(file.filename()) && holds_a_run(parent) ? parent : file;
      const bool part = fs::is_directory(folder, ignored) && is_of_folder(output, folder);
      ARKS_CHECK(!part && !fs::equivalent(output, file, ignored), flag, ": ", output,
                 " is read by this command, or part of what it reads, and would be lost; choose another file");
    }
  }
}

}  // namespace

void check_outputs(const std::vector<const Setting<std::string>*>& outputs, bool force,
                   const std::vector<std::string>& inputs) {
  std::set<fs::path> places;
  for (const auto* output : outputs) {
    const bool pictures = output->type() == "FILE";
    const auto given = output->value_or("");
    for (const auto& file : pictures ? split(given, ',') : std::vector<std::string>{given}) {
      const auto extension = fs::path(file).extension();
      ARKS_CHECK(!pictures || extension == ".svg" || extension == ".png", output->flag(), ": '", file,
                 "' must end in .svg or .png");
      check_not_read(file, output->flag(), inputs);
      check_output_file(file, force, output->flag());
      const auto place = file.empty() || file == "-" ? fs::path(file) : resolved_path(file);
      ARKS_CHECK(file.empty() || places.insert(place).second, "two outputs cannot go to the same place, ",
                 file == "-" ? "standard output" : file);
    }
  }
}

void write_output(const std::string& path, const std::string& content) {
  if (path == "-") {
    std::cout << content << std::flush;
  } else {
    write_file_atomically(path, content);
  }
}

}  // namespace arks::cli
