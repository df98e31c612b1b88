#pragma once
// What a model takes and gives, in a form that travels with it: in the checkpoint of a run, and in exported files.
#include "data/column_cells.h"
#include "data/table_encoding.h"

#include <arks/data/load.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What a model was trained on, as far as other data have to be made the same way.
struct ModelInterface {
  std::string data;                           ///< name of the training data, for messages
  std::vector<int64_t> input_shape;           ///< of one sample
  std::optional<TableEncoding> table;         ///< how the columns of a text file become inputs; none for other data
  std::vector<Feature> features;              ///< of a table
  std::optional<Bounds> bounds;               ///< of the inputs, in the units that the model takes
  std::string stored;                         ///< how samples were kept: "uint8" becomes x/255
  bool takes_scaled = false;                  ///< the model takes (x − mean)/deviation; else x itself
  bool takes_double = false;                  ///< x should be float64: float32 would lose what its numbers differ in
  torch::Tensor input_mean, input_deviation;  ///< float64 of a sample; undefined where nothing was scaled
  std::vector<std::string> class_names;       ///< in the order of the outputs; empty for a regression
  int64_t num_classes = 0;                    ///< 0: numbers are predicted
  std::string target;                         ///< name of the column or file of the targets
  std::vector<std::string> target_names;      ///< of the numbers that are predicted
  bool gives_scaled = false;                  ///< the model gives (y − mean)/deviation; else y itself
  torch::Tensor target_mean, target_deviation;
  std::map<std::string, std::string> division;  ///< how own data or a table were read and divided, and their checksum:
                                                ///< settings without paths. Empty: nothing is known

  /// Of data that are made this way. They are scaled wherever a scale is known: a model that takes x itself undoes
  /// that (make_problem), so that a radius and a loss are in the same units for a run and for its exported file.
  DatasetInfo info() const;
};

/// Of data that were loaded. The model takes and gives what they hold.
ModelInterface interface_of(const Dataset& samples, const std::string& target, const TableEncoding* encoding);

/// The columns of a text file that hold the targets.
std::vector<std::string> target_columns(const ModelInterface& interface);

/// As JSON in one line, and back. Throws Error naming `what` when the text is none of ours.
std::string to_json(const ModelInterface& interface);
ModelInterface parse_interface(const std::string& text, const std::string& what);

/// Throw Error unless two models, or a model and a data set, have the same inputs; the same classes and targets. Names
/// count where both have some.
void check_same_inputs(const std::string& one, const DatasetInfo& own, const std::string& other,
                       const DatasetInfo& data);
void check_same_outputs(const std::string& one, const DatasetInfo& own, const std::string& other,
                        const DatasetInfo& data);

/// Throws Error where training of such a model, a file called `name`, cannot go on with these data: they have other
/// inputs or outputs, or would be scaled twice or not at all.
void check_starts_on(const ModelInterface& own, const std::string& name, const DatasetInfo& data);

/// How data for a model are read.
struct LikeOptions {
  bool cells = false;                  ///< LikeData::cells are wanted
  bool targets = true;                 ///< they hold targets; false: those are not looked for
  std::filesystem::path targets_file;  ///< of inputs in an .npy file
  std::optional<char> separator;       ///< of a text file; none: found
  std::optional<char> decimal;         ///< its decimal sign
  std::optional<bool> header;
  ImageFilesOptions image_files;
};

struct LikeData {
  DatasetPtr samples;                        ///< in the order of the file; without targets these are zeros
  std::vector<std::filesystem::path> files;  ///< of images in a folder, in the same order
  std::vector<ColumnCells> cells;            ///< of the input columns of a text file, when they were asked for
  std::vector<std::string> notes;
  std::vector<std::string> warnings;  ///< what may make all that is computed of them wrong
};

/// Samples for a model, made as those it was trained on: a text file, an .npy file or a folder of images. Columns are
/// found by name; those that training did not have are noted and ignored, one that is missing is an Error. Classes have
/// the numbers they had in training; one that is not known is an Error. A folder may lack some of the classes, and
/// without targets its images may also lie in it directly.
LikeData load_like(const ModelInterface& interface, const std::filesystem::path& path, const LikeOptions& options);

}  // namespace arks
