#pragma once
#include <arks/data/dataset.h>

#include <string>

namespace arks {

/// The samples of another set in the groups that a reader of the same rows found.
class Grouped : public Dataset {
 public:
  /// groups: [n] int64, a number for each sample; `column` is where they come from.
  Grouped(DatasetPtr source, torch::Tensor groups, const std::string& column);

  int64_t size() const override { return source_->size(); }
  Batch get(const torch::Tensor& indices) const override;
  const DatasetInfo& info() const override { return info_; }

 private:
  DatasetPtr source_;
  torch::Tensor groups_;
  DatasetInfo info_;
};

}  // namespace arks
