#pragma once
// What all subcommands share on the command line: common flags, TOML files under the flags, unknown names, outputs.
#include "cli/flags.h"

#include <arks/inner/constraint.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arks::cli {

/// Flags that every subcommand has.
struct CommonOptions {
  std::string config;
  std::string data_dir;
  int64_t threads = 0;  // 0: as many as there are cores
  std::string device = "cpu";
  std::string json;
  std::string engine = "auto";
  bool quiet = false;
  bool verbose = false;
  bool no_cache = false;  // of decoded images
};

void add_common_options(Flags& flags, CommonOptions& options);

/// Sets threads, refuses devices that are not there, warns of a slow BLAS.
void apply(const CommonOptions& options);

/// The heading of the flags that say how data are read; they may stand in the table [data] of a TOML file.
inline constexpr const char* kDataGroup = "Tables and data of your own (.csv, .npy, folders)";

/// The keys of a TOML text as flags --key=value. The keys of its table [data] are the flags about the data, `source` is
/// --data; relative paths there are relative to the folder of the file, while those of keys outside of it are, as on
/// the command line, relative to where the tool runs. Throws Error for a key that the subcommand does not know, naming
/// the nearest; `what` is the file.
Arguments toml_as_arguments(const std::string& toml, const std::string& what, const Flags& flags);

/// The keys and values of a TOML text; numbers in their shortest form, lists as "a,b", lists of lists as "a,b;c,d". A
/// key of the table [data] is "data.key"; other tables are an Error.
std::map<std::string, std::string> read_toml(const std::string& toml, const std::string& what);

/// The same as JSON, each value of its own kind.
std::string toml_as_json(const std::string& toml, const std::string& what);

/// The value of --name or --name=… in raw arguments, the last one given. Throws Error when it is missing.
std::optional<std::string> find_value(const Arguments& arguments, const std::string& name);

/// Throws Error for a flag that the subcommand does not have, naming the nearest.
void refuse_unknown_flags(const Flags& flags, const Arguments& arguments);

/// "lo,hi", or one pair per feature as "lo,hi;lo,hi;…"; errors name the flag.
Bounds parse_bounds(const std::string& text, const std::string& flag = "--bounds");

/// One pair {lo, hi} for all values, or one for each feature in order: how configurations list them.
std::vector<std::vector<double>> ranges_of(const Bounds& bounds);

/// "s1,s2,…" as [d] float64, one factor per feature; undefined for an empty text.
torch::Tensor parse_factors(const std::string& text, const std::string& flag);

/// "25,50" as whole numbers; nothing for an empty text.
std::vector<int64_t> parse_whole_numbers(const std::string& text, const std::string& what);

/// Throws Error when the file exists and --force was not given, or its folder does not.
void check_output_file(const std::string& path, bool force, const std::string& flag);

/// The same for a picture, which must end in .svg or .png.
void check_picture_file(const std::string& path, bool force, const std::string& flag);

/// Throws Error when two of the outputs, given by their flags, are the same file or both standard output.
void check_distinct_outputs(const std::vector<std::vector<std::string>>& files_of_flags);

/// Writes to the file, or to standard output for "-".
void write_output(const std::string& path, const std::string& content);

}  // namespace arks::cli
