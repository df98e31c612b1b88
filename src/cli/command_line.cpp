#include "cli/command_line.h"

#include "engine/processor.h"

#include <ATen/Parallel.h>
#include <arks/data/registry.h>
#include <arks/engine/network.h>
#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/process.h>
#include <arks/support/text.h>
#include <unistd.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <set>
#include <thread>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

toml::table parse_toml(const std::string& toml, const std::string& what) {
  try {
    return toml::parse(toml, what);
  } catch (const toml::parse_error& error) {
    throw Error(c10::str(what, ", line ", error.source().begin.line, ": ", error.description()));
  }
}

std::string scalar_text(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto whole = node.value_exact<int64_t>()) return std::to_string(*whole);
  if (const auto real = node.value_exact<double>()) return shortest(*real);
  throw Error(where + ": expected a number, a text, true or false");
}

std::string list_text(const toml::array& list, const std::string& where) {
  std::vector<std::string> parts;
  bool nested = false;
  for (const auto& item : list) {
    const auto* inner = item.as_array();
    nested = nested || inner != nullptr;
    parts.push_back(inner != nullptr ? list_text(*inner, where) : scalar_text(item, where));
  }
  return join(parts, nested ? ";" : ",");
}

void add_values(const toml::table& table, const std::string& what, const std::string& prefix,
                std::map<std::string, std::string>& values) {
  for (const auto& [key, node] : table) {
    const auto name = prefix + std::string(key.str());
    const std::string where = what + ": " + name;
    if (const auto* inner = node.as_table()) {
      ARKS_CHECK(name == "data", what, ": unknown table [", name, "]", did_you_mean(name, {"data"}),
                 "; there is [data] only");
      add_values(*inner, what, name + ".", values);
      continue;
    }
    const auto* array = node.as_array();
    values[name] = array != nullptr ? list_text(*array, where) : scalar_text(node, where);
  }
}

/// The flag that a key of the table [data] stands for, without dashes.
std::string data_flag(const std::string& key, const std::string& what, const Flags& flags) {
  std::vector<std::string> known{"source"};
  for (const auto& flag : flags.names_in(kDataGroup)) known.push_back(flag.substr(2));
  for (const char* other : {"attribute", "balance", "balance-seed", "bounds", "data-dir", "limit", "train-limit"}) {
    if (flags.has(std::string("--") + other)) known.emplace_back(other);
  }
  const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
  ARKS_CHECK(is_known && (key != "source" || flags.has("--data")), what, ": unknown key '", key, "' in [data]",
             key == "data" ? " (did you mean 'source'?)" : did_you_mean(key, known));
  return key == "source" ? "data" : key;
}

/// A relative path in the table [data] begins at the folder of the file; the name of a known data set is no path.
std::string from_folder_of(const fs::path& file, const std::string& key, const std::string& value) {
  static const std::set<std::string> kPaths{"source", "targets", "test-data", "test-targets", "data-dir"};
  if (kPaths.count(key) == 0 || fs::path(value).is_absolute() || value.empty()) return value;
  const auto path = (file.parent_path() / value).string();
  if (key != "source") return path;
  const auto known = dataset_names();
  const bool is_known = std::find(known.begin(), known.end(), value) != known.end();
  // what is neither there nor looks like a path is a slip in the name of a known set
  return is_known || (!is_own_data(path) && value.find('/') == std::string::npos) ? value : path;
}

}  // namespace

void add_common_options(Flags& flags, CommonOptions& options) {
  flags.group("Common");
  flags.option(
      "--config", options.config,
      "TOML file with the same names as the flags; flags win. A table [data] in it may hold those about the data, with "
      "source for --data; paths in it are relative to the file",
      "FILE");
  flags.option("--data-dir", options.data_dir,
               "folder with the data sets [$ARKS_DATA_DIR, else /usr/share/datasets and ~/.local/share/arks]", "DIR");
  flags.option("--threads", options.threads, "threads; 0 = $OMP_NUM_THREADS, else one per core [0]");
  flags.option("--engine", options.engine,
               "auto = compiled plans where there can be (-v says where not), libtorch = never [auto]", "NAME");
  flags.option("--device", options.device, "where to compute; this build knows cpu [cpu]");
  flags.option("--json", options.json, "write figures, configuration, seed, versions and time; - = stdout", "FILE|-");
  flags.flag(
      "--no-cache", options.no_cache,
      "do not keep decoded image files for the next time, nor read those kept in ARKS_CACHE_DIR [~/.cache/arks]");
  flags.flag("--quiet", options.quiet, "print results and errors only");
  flags.flag("-v,--verbose", options.verbose, "print what is done in detail");
}

void apply(const CommonOptions& options) {
  ARKS_CHECK(options.device == "cpu", "--device ", options.device,
             " is not available: this build computes on cpu only");
  ARKS_CHECK(options.threads >= 0 && options.threads <= 1024, "--threads must be 0 to 1024, got ", options.threads);
  parse_engine(options.engine);
  engine::portable_path();  // says so when the environment asks for a processor that is none
  keep_freed_memory();
  set_blas_threads(1);
  // torch's own default is one thread on some virtual machines
  if (options.threads > 0) {
    at::set_num_threads(static_cast<int>(options.threads));
  } else if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    at::set_num_threads(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  }
  if (const auto advice = slow_blas_advice()) std::cerr << "arks: warning: " << *advice << "\n";
}

std::map<std::string, std::string> read_toml(const std::string& toml, const std::string& what) {
  std::map<std::string, std::string> values;
  add_values(parse_toml(toml, what), what, "", values);
  return values;
}

std::string toml_as_json(const std::string& toml, const std::string& what) {
  std::ostringstream json;
  json << toml::json_formatter(parse_toml(toml, what));
  return json.str();
}

Arguments toml_as_arguments(const std::string& toml, const std::string& what, const Flags& flags) {
  static const std::string kTable = "data.";
  Arguments arguments;
  std::vector<std::string> known;
  for (const auto& flag : flags.names()) known.push_back(flag.substr(2));
  const auto values = read_toml(toml, what);
  for (const auto& [key, value] : values) {
    ARKS_CHECK(!value.empty(), what, ": '", key, "' has no value; leave the line out for the default");
    if (key.rfind(kTable, 0) == 0) {
      const auto inner = key.substr(kTable.size()), flag = data_flag(inner, what, flags);
      ARKS_CHECK(values.count(flag) == 0, what, ": '", flag, "' is given twice, in [data] and outside of it");
      arguments.push_back("--" + flag + "=" + from_folder_of(what, inner, value));
      continue;
    }
    ARKS_CHECK(key != "config" && key != "resume" && key != "help", what, ": '", key,
               "' belongs on the command line, not into a configuration file");
    ARKS_CHECK(flags.has("--" + key), what, ": unknown key '", key, "'", did_you_mean(key, known));
    arguments.push_back("--" + key + "=" + value);
  }
  return arguments;
}

std::optional<std::string> find_value(const Arguments& arguments, const std::string& name) {
  std::optional<std::string> value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == name) {
      value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    } else if (arguments[i].rfind(name + "=", 0) == 0) {
      value = arguments[i].substr(name.size() + 1);
    } else {
      continue;
    }
    ARKS_CHECK(!value->empty() && value->rfind("--", 0) != 0, name, ": a value is missing");
  }
  return value;
}

void refuse_unknown_flags(const Flags& flags, const Arguments& arguments) {
  std::vector<std::string> known;
  for (const auto& flag : flags.names()) known.push_back(flag.substr(2));
  for (const auto& argument : arguments) {
    if (argument.rfind("--", 0) != 0) continue;
    const auto flag = argument.substr(0, argument.find('='));
    if (!flags.has(flag)) {
      const auto nearest = nearest_name(flag.substr(2), known);  // without the dashes, which would count as right
      throw Error("unknown flag '" + flag + "'" + (nearest.empty() ? "" : " (did you mean '--" + nearest + "'?)") +
                  "; see arks " + flags.command() + " --help");
    }
    // the parser would take the next argument instead
    ARKS_CHECK(argument != flag + "=", flag, ": a value is missing");
  }
}

Bounds parse_bounds(const std::string& text, const std::string& flag) {
  std::vector<double> lows, highs;
  for (const auto& range : split(text, ';')) {
    const auto ends = parse_numbers(range, flag);
    ARKS_CHECK(ends.size() == 2, flag, ": expected lo,hi or one pair per feature lo,hi;lo,hi, got '", range, "'");
    lows.push_back(ends[0]);
    highs.push_back(ends[1]);
  }
  ARKS_CHECK(!lows.empty(), flag, ": expected lo,hi, got nothing");
  const auto bounds = lows.size() == 1
                          ? Bounds(lows[0], highs[0])
                          : Bounds(torch::tensor(lows, torch::kDouble), torch::tensor(highs, torch::kDouble));
  try {
    check(bounds);
  } catch (const Error& error) {
    throw Error(flag + ": " + error.what());  // bounds and domain are checked by the same words
  }
  return bounds;
}

std::vector<std::vector<double>> ranges_of(const Bounds& bounds) {
  const auto lows = bounds.lows().flatten(), highs = bounds.highs().flatten();
  std::vector<std::vector<double>> ranges;
  for (int64_t j = 0; j < lows.size(0); ++j) ranges.push_back({lows[j].item<double>(), highs[j].item<double>()});
  return ranges;
}

torch::Tensor parse_factors(const std::string& text, const std::string& flag) {
  return text.empty() ? torch::Tensor() : torch::tensor(parse_numbers(text, flag), torch::kDouble);
}

std::vector<int64_t> parse_whole_numbers(const std::string& text, const std::string& what) {
  std::vector<int64_t> whole;
  if (text.empty()) return whole;
  for (const double number : parse_numbers(text, what)) {
    ARKS_CHECK(number == std::floor(number) && number > 0 && number < 1e15, what, ": expected whole numbers > 0, got ",
               shortest(number));
    whole.push_back(static_cast<int64_t>(number));
  }
  return whole;
}

void check_output_file(const std::string& path, bool force, const std::string& flag) {
  if (path.empty() || path == "-") return;
  std::error_code ignored;
  ARKS_CHECK(!fs::is_directory(path, ignored), flag, ": ", path, " is a folder, a file was expected");
  ARKS_CHECK(!fs::exists(path, ignored) || fs::is_regular_file(path, ignored), flag, ": ", path,
             " is not a regular file; - is standard output");
  ARKS_CHECK(force || !fs::exists(path, ignored), flag, ": ", path, " exists; --force overwrites it");
  const auto folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  ARKS_CHECK(fs::is_directory(folder, ignored), flag, ": the folder ", folder.string(), " does not exist");
  ARKS_CHECK(::access(folder.c_str(), W_OK) == 0, flag, ": cannot write into ", folder.string());
}

void check_picture_file(const std::string& path, bool force, const std::string& flag) {
  const auto extension = fs::path(path).extension();
  ARKS_CHECK(extension == ".svg" || extension == ".png", flag, ": '", path, "' must end in .svg or .png");
  check_output_file(path, force, flag);
}

void check_distinct_outputs(const std::vector<std::vector<std::string>>& files_of_flags) {
  std::set<fs::path> outputs;
  for (const auto& files : files_of_flags) {
    for (const auto& file : files) {
      const auto place = file.empty() || file == "-" ? fs::path(file) : fs::absolute(file).lexically_normal();
      ARKS_CHECK(file.empty() || outputs.insert(place).second, "two outputs cannot go to the same place, ",
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
