#include "report/loss_unit.h"

#include "utf8.h"

namespace arks {

std::string loss_unit(const DatasetInfo& info) {
  if (info.num_classes > 0) return "cross entropy";
  const bool several = num_outputs(info) > 1;
  const std::string sum = several ? ", summed over the targets" : "";
  if (info.target_deviation.defined()) {
    return "squared error, in squared standard deviations of the training target" + (several ? "s" + sum : sum);
  }
  if (!several && !info.target_names.empty()) {
    return "squared error, in squared units of '" + printable(info.target_names.front()) + "'";
  }
  return std::string("squared error, in squared units of the target") + (several ? "s" : "") + sum;
}

}  // namespace arks
