#include <arks/data/dataset.h>
#include <arks/support/error.h>

#include <zlib.h>

#include <algorithm>

namespace arks {

namespace {

/// Bytes become x/255 in float32, all else stays.
torch::Tensor as_model_input(const torch::Tensor& inputs) {
  return inputs.scalar_type() == torch::kByte ? inputs.to(torch::kFloat).div_(255) : inputs;
}

void check_samples(const torch::Tensor& inputs, const torch::Tensor& targets, const std::string& name) {
  ARKS_CHECK(inputs.dim() >= 1 && targets.dim() >= 1, name, ": inputs and targets need a first dimension");
  ARKS_CHECK(inputs.size(0) == targets.size(0), name, ": ", inputs.size(0), " inputs but ", targets.size(0),
             " targets");
  ARKS_CHECK(inputs.numel() > 0, name, ": no samples");
  ARKS_CHECK(inputs.scalar_type() == torch::kByte || inputs.is_floating_point(), name,
             ": inputs must be uint8 or floating point, got ", inputs.scalar_type());
}

void check_labels(const torch::Tensor& labels, int64_t classes, const std::string& name) {
  ARKS_CHECK(labels.dim() == 1 && c10::isIntegralType(labels.scalar_type(), /*includeBool=*/false), name,
             ": labels must be integers of shape [n], got ", labels.scalar_type(), " ", labels.sizes());
  const auto [low, high] = torch::aminmax(labels);
  ARKS_CHECK(low.item<int64_t>() >= 0 && high.item<int64_t>() < classes, name, ": labels must be 0 to ", classes - 1,
             ", found ", low.item<int64_t>(), " to ", high.item<int64_t>());
}

/// As NumPy and Python's torch call it.
std::string type_name(torch::ScalarType type) {
  if (type == torch::kByte) return "uint8";
  if (type == torch::kFloat) return "float32";
  if (type == torch::kDouble) return "float64";
  return c10::toString(type);
}

}  // namespace

SampleMarks SampleMarks::select(const torch::Tensor& indices) const {
  const auto chosen = [&](const torch::Tensor& all) { return all.defined() ? all.index_select(0, indices) : all; };
  return {chosen(filled), chosen(groups)};
}

TensorDataset::TensorDataset(torch::Tensor inputs, torch::Tensor targets, DatasetInfo info, SampleMarks marks)
    : inputs_(std::move(inputs)), targets_(std::move(targets)), info_(std::move(info)), marks_(std::move(marks)) {
  check_samples(inputs_, targets_, info_.name);
  ARKS_CHECK(!marks_.filled.defined() || marks_.filled.sizes() == inputs_.sizes(), info_.name,
             ": marks of filled inputs have shape ", marks_.filled.sizes(), ", the inputs ", inputs_.sizes());
  ARKS_CHECK(!marks_.groups.defined() || marks_.groups.numel() == inputs_.size(0), info_.name, ": ", inputs_.size(0),
             " inputs but groups of ", marks_.groups.numel());
  const auto shape = inputs_.sizes().slice(1);
  if (info_.input_shape.empty()) info_.input_shape = shape.vec();
  ARKS_CHECK(shape.equals(info_.input_shape), info_.name, ": inputs have shape ", shape, ", but ",
             c10::IntArrayRef(info_.input_shape), " is declared");
  ARKS_CHECK(info_.class_names.empty() || static_cast<int64_t>(info_.class_names.size()) == info_.num_classes,
             info_.name, ": ", info_.class_names.size(), " class names for ", info_.num_classes, " classes");
  info_.stored = type_name(inputs_.scalar_type());
  if (info_.num_classes > 0) {
    check_labels(targets_, info_.num_classes, info_.name);
    targets_ = targets_.to(torch::kLong);
  }
  if (info_.bounds) {
    check(*info_.bounds);
    // the extremes alone, since all of a byte set in float32 would be four times its memory
    const auto extremes =
        info_.bounds->per_feature() ? std::make_tuple(inputs_.amin(0), inputs_.amax(0)) : torch::aminmax(inputs_);
    const auto& [low, high] = extremes;
    check_within(*info_.bounds, as_model_input(torch::stack({low, high})), info_.name + ": inputs");
  }
}

Batch TensorDataset::get(const torch::Tensor& indices) const {
  return {as_model_input(inputs_.index_select(0, indices)), targets_.index_select(0, indices), marks_.select(indices)};
}

Subset::Subset(DatasetPtr source, int64_t count) : source_(std::move(source)), count_(count) {
  ARKS_CHECK(count_ > 0 && count_ <= source_->size(), "subset: ", source_->info().name, " has ", source_->size(),
             " samples, but ", count_, " were requested");
}

Batch Subset::get(const torch::Tensor& indices) const {
  // the source would answer with samples that are not in the subset
  ARKS_CHECK(indices.numel() == 0 || indices.max().item<int64_t>() < count_, "subset: there is no sample ",
             indices.max().item<int64_t>(), " among the ", count_, " of ", source_->info().name);
  return source_->get(indices);
}

Selection::Selection(DatasetPtr source, torch::Tensor numbers)
    : source_(std::move(source)), numbers_(std::move(numbers)) {
  ARKS_CHECK(numbers_.dim() == 1 && numbers_.numel() > 0 && numbers_.scalar_type() == torch::kLong,
             "selection: numbers of samples must be int64 of shape [n], got ", numbers_.scalar_type(), " ",
             numbers_.sizes());
  const auto [low, high] = torch::aminmax(numbers_);
  ARKS_CHECK(low.item<int64_t>() >= 0 && high.item<int64_t>() < source_->size(), "selection: ", source_->info().name,
             " has ", source_->size(), " samples, but numbers ", low.item<int64_t>(), " to ", high.item<int64_t>(),
             " were requested");
}

Batch Selection::get(const torch::Tensor& indices) const {
  return source_->get(numbers_.index_select(0, indices));
}

int64_t num_outputs(const DatasetInfo& info) {
  return info.num_classes > 0 ? info.num_classes : std::max<int64_t>(1, static_cast<int64_t>(info.target_names.size()));
}

std::string samples_word(const DatasetInfo& info) {
  return info.input_shape.size() == 1 ? "rows" : info.input_shape.size() == 3 ? "images" : "samples";
}

uint32_t fingerprint(const Dataset& dataset) {
  constexpr int64_t kInputs = 1024, kAtOnce = 128;
  const int64_t size = dataset.size();
  uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(&size), sizeof size);
  const auto add = [&](const torch::Tensor& numbers) {
    const auto bytes = numbers.contiguous();
    sum = crc32_z(sum, static_cast<const Bytef*>(bytes.data_ptr()), bytes.nbytes());
  };
  const auto chosen =
      size <= kInputs
          ? torch::arange(size, torch::kLong)
          : torch::linspace(0, static_cast<double>(size - 1), kInputs, torch::kDouble).floor().to(torch::kLong);
  for (const auto& some : chosen.split(kAtOnce)) {
    const auto batch = dataset.get(some);
    add(batch.inputs);
    add(batch.targets);
  }
  return static_cast<uint32_t>(sum);
}

void check_inputs(const Dataset& dataset, const Bounds& bounds) {
  constexpr int64_t kAtOnce = 1024;  // the whole set as float would be four times the memory of its bytes
  for (int64_t begin = 0; begin < dataset.size(); begin += kAtOnce) {
    const auto indices = torch::arange(begin, std::min(begin + kAtOnce, dataset.size()), torch::kLong);
    check_within(bounds, dataset.get(indices).inputs, dataset.info().name + ": inputs");
  }
}

torch::Tensor groups_of(const Dataset& dataset) {
  if (dataset.info().group.empty()) return {};
  constexpr int64_t kAtOnce = 1 << 16;
  std::vector<torch::Tensor> groups;
  for (int64_t begin = 0; begin < dataset.size(); begin += kAtOnce) {
    groups.push_back(dataset.get(torch::arange(begin, std::min(begin + kAtOnce, dataset.size()))).marks.groups);
  }
  return torch::cat(groups);
}

DatasetPtr limited(DatasetPtr source, int64_t limit) {
  ARKS_CHECK(limit >= 0, "limit must not be negative, got ", limit);
  if (limit == 0 || limit >= source->size()) return source;
  return std::make_shared<Subset>(std::move(source), limit);
}

}  // namespace arks
