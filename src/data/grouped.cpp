#include "data/grouped.h"

#include <arks/support/error.h>

namespace arks {

Grouped::Grouped(DatasetPtr source, torch::Tensor groups, const std::string& column)
    : source_(std::move(source)), groups_(std::move(groups)), info_(source_->info()) {
  ARKS_CHECK(groups_.dim() == 1 && groups_.size(0) == source_->size(), info_.name, ": ", source_->size(),
             " samples but groups of ", groups_.sizes());
  info_.group = column;
}

Batch Grouped::get(const torch::Tensor& indices) const {
  auto batch = source_->get(indices);
  batch.marks.groups = groups_.index_select(0, indices);
  return batch;
}

}  // namespace arks
