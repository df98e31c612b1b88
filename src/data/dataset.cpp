#include <arks/data/dataset.h>
#include <arks/support/error.h>

namespace arks {

TensorDataset::TensorDataset(torch::Tensor inputs, torch::Tensor targets, DatasetInfo info)
    : inputs_(std::move(inputs)), targets_(std::move(targets)), info_(std::move(info)) {
  ARKS_CHECK(inputs_.dim() >= 1 && targets_.dim() >= 1, info_.name, ": inputs and targets need a first dimension");
  ARKS_CHECK(inputs_.size(0) == targets_.size(0), info_.name, ": ", inputs_.size(0), " inputs but ", targets_.size(0),
             " targets");
  ARKS_CHECK(inputs_.size(0) > 0, info_.name, ": no samples");
  const bool bytes = inputs_.scalar_type() == torch::kByte;
  ARKS_CHECK(bytes || inputs_.is_floating_point(), info_.name, ": inputs must be uint8 or floating point, got ",
             inputs_.scalar_type());
  if (info_.input_shape.empty()) info_.input_shape = inputs_.sizes().slice(1).vec();
  if (info_.num_classes > 0) {
    const auto [low, high] = torch::aminmax(targets_);
    ARKS_CHECK(low.item<int64_t>() >= 0 && high.item<int64_t>() < info_.num_classes, info_.name,
               ": labels must be 0 to ", info_.num_classes - 1, ", found ", low.item<int64_t>(), " to ",
               high.item<int64_t>());
    targets_ = targets_.to(torch::kLong);
  }
  if (info_.bounds && !bytes) check_within(*info_.bounds, inputs_, info_.name + ": inputs");
}

Batch TensorDataset::get(const torch::Tensor& indices) const {
  Batch batch{inputs_.index_select(0, indices), targets_.index_select(0, indices)};
  if (batch.inputs.scalar_type() == torch::kByte) batch.inputs = batch.inputs.to(torch::kFloat).div_(255);
  return batch;
}

Subset::Subset(DatasetPtr source, int64_t count) : source_(std::move(source)), count_(count) {
  ARKS_CHECK(count_ > 0 && count_ <= source_->size(), "subset: ", source_->info().name, " has ", source_->size(),
             " samples, ", count_, " were asked for");
}

DatasetPtr limited(DatasetPtr source, int64_t limit) {
  ARKS_CHECK(limit >= 0, "limit must not be negative, got ", limit);
  if (limit == 0 || limit >= source->size()) return source;
  return std::make_shared<Subset>(std::move(source), limit);
}

}  // namespace arks
