#include <arks/train/checkpoint.h>

#include "support/file.h"
#include "support/text.h"
#include "train/weights.h"

#include <arks/support/error.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <zlib.h>

namespace arks {

namespace {

constexpr int64_t kFormat = 1;

/// torch's archive reader checks no sums, so a flipped bit in a weight would go unseen: the file ends with one of its
/// own.
std::string checksum(std::string_view content) {
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  return "arks crc32 " + hex(static_cast<uint32_t>(sum));
}

/// The file without its sum; empty when the sum is missing or wrong.
std::string_view checked_content(std::string_view file) {
  const size_t length = checksum({}).size();
  if (file.size() < length) return {};
  const auto content = file.substr(0, file.size() - length);
  return file.substr(content.size()) == checksum(content) ? content : std::string_view();
}

using Dictionary = c10::impl::GenericDict;  // from IValue to IValue

c10::IValue number_or_none(const std::optional<double>& value) {
  return value ? c10::IValue(*value) : c10::IValue();
}

c10::IValue key(const char* name) {
  return std::string(name);
}

Dictionary empty_dictionary() {
  return Dictionary(c10::StringType::get(), c10::AnyType::get());
}

Dictionary to_dictionary(const BatchSums& sums) {
  auto fields = empty_dictionary();
  fields.insert(key("samples"), sums.samples);
  fields.insert(key("loss"), sums.loss);
  fields.insert(key("surrogate"), sums.surrogate);
  fields.insert(key("wrong"), number_or_none(sums.wrong));
  fields.insert(key("adversarial_loss"), number_or_none(sums.adversarial_loss));
  fields.insert(key("kernel"), number_or_none(sums.kernel));
  fields.insert(key("cost"), number_or_none(sums.cost));
  fields.insert(key("mmd"), number_or_none(sums.mmd));
  return fields;
}

/// A dictionary read from a file, whose fields may be missing or of another type.
class Fields {
 public:
  explicit Fields(const c10::IValue& value) : dictionary_(value.toGenericDict()) {}
  c10::IValue at(const char* name) const { return dictionary_.at(key(name)); }
  bool has(const char* name) const { return dictionary_.contains(key(name)); }
  std::optional<double> optional_number(const char* name) const {
    const auto value = has(name) ? at(name) : c10::IValue();  // older checkpoints know fewer numbers
    return value.isNone() ? std::nullopt : std::optional<double>(value.toDouble());
  }

 private:
  Dictionary dictionary_;
};

BatchSums sums_from(const Fields& fields) {
  BatchSums sums;
  sums.samples = fields.at("samples").toInt();
  sums.loss = fields.at("loss").toDouble();
  sums.surrogate = fields.at("surrogate").toDouble();
  sums.wrong = fields.optional_number("wrong");
  sums.adversarial_loss = fields.optional_number("adversarial_loss");
  sums.kernel = fields.optional_number("kernel");
  sums.cost = fields.optional_number("cost");
  sums.mmd = fields.optional_number("mmd");
  return sums;
}

NamedTensors named_tensors(const Fields& fields, const char* names_field, const char* tensors_field,
                           const std::string& what) {
  const auto names = fields.at(names_field).toListRef();
  const auto tensors = fields.at(tensors_field).toListRef();
  ARKS_CHECK(names.size() == tensors.size(), what, " is damaged: ", names.size(), " names for ", tensors.size(),
             " tensors");
  NamedTensors named;
  for (size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i].toStringRef(), tensors[i].toTensor());
  return named;
}

void insert_named_tensors(Dictionary& fields, const char* names_field, const char* tensors_field,
                          const NamedTensors& named) {
  c10::List<std::string> names;
  c10::List<torch::Tensor> tensors;
  for (const auto& [name, tensor] : named) {
    names.push_back(name);
    tensors.push_back(tensor.detach());
  }
  fields.insert(key(names_field), names);
  fields.insert(key(tensors_field), tensors);
}

Checkpoint checkpoint_from(const Fields& fields, const std::string& what) {
  const int64_t format = fields.at("arks_checkpoint").toInt();
  ARKS_CHECK(format == kFormat, what, ": written in checkpoint format ", format, "; this version reads ", kFormat);
  Checkpoint checkpoint;
  checkpoint.architecture = fields.at("architecture").toStringRef();
  checkpoint.config = fields.at("config").toStringRef();
  if (fields.has("interface")) checkpoint.interface = fields.at("interface").toStringRef();
  checkpoint.weights = named_tensors(fields, "weight_names", "weights", what);
  checkpoint.epoch = fields.at("epoch").toInt();
  checkpoint.batch = fields.at("batch").toInt();
  checkpoint.sums = sums_from(Fields(fields.at("sums")));
  checkpoint.seconds = fields.at("seconds").toDouble();
  checkpoint.optimizer = fields.at("optimizer").toTensor();
  checkpoint.generator = fields.at("generator").toTensor();
  for (const auto& line : fields.at("metrics").toListRef()) checkpoint.metrics.push_back(line.toStringRef());
  if (fields.has("data")) checkpoint.data = fields.at("data").toInt();
  if (fields.has("average")) {
    checkpoint.average = named_tensors(fields, "average_names", "average", what);
    checkpoint.averaged_epochs = fields.at("averaged_epochs").toInt();
  }
  if (fields.has("method")) checkpoint.method = named_tensors(fields, "method_names", "method", what);
  if (fields.has("before")) checkpoint.before = named_tensors(fields, "before_names", "before", what);
  if (fields.has("best")) checkpoint.best = named_tensors(fields, "best_names", "best", what);
  checkpoint.start_surrogate = fields.optional_number("start_surrogate");
  checkpoint.start_loss = fields.optional_number("start_loss");
  if (fields.has("ended")) checkpoint.ended = fields.at("ended").toStringRef();
  return checkpoint;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  c10::List<std::string> metrics;
  for (const auto& line : checkpoint.metrics) metrics.push_back(line);
  auto fields = empty_dictionary();
  fields.insert(key("arks_checkpoint"), kFormat);
  fields.insert(key("architecture"), checkpoint.architecture);
  fields.insert(key("config"), checkpoint.config);
  insert_named_tensors(fields, "weight_names", "weights", checkpoint.weights);
  fields.insert(key("epoch"), checkpoint.epoch);
  fields.insert(key("batch"), checkpoint.batch);
  fields.insert(key("sums"), to_dictionary(checkpoint.sums));
  fields.insert(key("seconds"), checkpoint.seconds);
  fields.insert(key("optimizer"), checkpoint.optimizer);
  fields.insert(key("generator"), checkpoint.generator);
  fields.insert(key("metrics"), metrics);
  if (checkpoint.data) fields.insert(key("data"), *checkpoint.data);
  if (!checkpoint.average.empty()) {
    insert_named_tensors(fields, "average_names", "average", checkpoint.average);
    fields.insert(key("averaged_epochs"), checkpoint.averaged_epochs);
  }
  // only where there is something to say: files of most methods stay as they were
  if (!checkpoint.method.empty()) insert_named_tensors(fields, "method_names", "method", checkpoint.method);
  if (!checkpoint.before.empty()) insert_named_tensors(fields, "before_names", "before", checkpoint.before);
  if (!checkpoint.best.empty()) insert_named_tensors(fields, "best_names", "best", checkpoint.best);
  if (checkpoint.start_surrogate) fields.insert(key("start_surrogate"), *checkpoint.start_surrogate);
  if (checkpoint.start_loss) fields.insert(key("start_loss"), *checkpoint.start_loss);
  if (!checkpoint.ended.empty()) fields.insert(key("ended"), checkpoint.ended);
  if (!checkpoint.interface.empty()) fields.insert(key("interface"), checkpoint.interface);
  const auto bytes = torch::jit::pickle_save(fields);
  std::string file(bytes.data(), bytes.size());
  file += checksum(file);
  write_file_atomically(path, file);
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const std::string file = read_file(path);
  const std::string what = path.string();
  const auto content = checked_content(file);
  ARKS_CHECK(!content.empty(), what, " is damaged or not a checkpoint written by arks train");
  try {
    return checkpoint_from(Fields(torch::jit::pickle_load({content.begin(), content.end()})), what);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {  // torch's own messages speak of its archive reader, not of the user's file
    throw Error(what + " is damaged or not a checkpoint written by arks train");
  }
}

namespace {

void check_fit(const NamedTensors& saved, const NamedTensors& state, const std::string& what) {
  ARKS_CHECK(state.size() == saved.size(), what, " holds ", saved.size(), " weight tensors, but the model has ",
             state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    const auto& [name, tensor] = saved[i];
    ARKS_CHECK(name == state[i].first && tensor.sizes() == state[i].second.sizes(), what, ": weight ", i, " is ", name,
               " ", tensor.sizes(), ", but the model has ", state[i].first, " ", state[i].second.sizes());
  }
}

}  // namespace

void check_weights(const Checkpoint& checkpoint, Problem& problem, const std::string& what) {
  ARKS_CHECK(checkpoint.architecture == problem.architecture(), what, " holds a model of architecture '",
             checkpoint.architecture, "', not '", problem.architecture(), "'");
  const auto state = problem.state();
  check_fit(checkpoint.weights, state, what);
  if (!checkpoint.average.empty()) check_fit(checkpoint.average, state, what + ", averaged");
  if (!checkpoint.before.empty()) check_fit(checkpoint.before, state, what + ", before the running epoch");
  if (!checkpoint.best.empty()) check_fit(checkpoint.best, state, what + ", of the best epoch");
}

void load_weights(const Checkpoint& checkpoint, Problem& problem, const std::string& what) {
  check_weights(checkpoint, problem, what);
  copy_into(checkpoint.weights, problem.state());
}

void load_trained_weights(const Checkpoint& checkpoint, Problem& problem, const std::string& what) {
  check_weights(checkpoint, problem, what);
  const auto& last = checkpoint.average.empty() ? checkpoint.weights : checkpoint.average;
  copy_into(checkpoint.best.empty() ? last : checkpoint.best, problem.state());
}

}  // namespace arks
