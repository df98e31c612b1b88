#include "data/diabetes.h"

#include "data/built_in_table.h"
#include "data/registry.h"

namespace arks {

DataTable diabetes_table(const TabularOptions& options) {
  auto table = built_in_table("diabetes", options);
  table.inputs = table.inputs - table.inputs.mean(0);
  table.inputs = table.inputs / table.inputs.norm(2, 0, /*keepdim=*/true);  // the norm is deviation·√442
  return table;
}

DataSplits load_diabetes(const TabularOptions& options) {
  return split_table(diabetes_table(options), options, /*standardise_by_default=*/false);
}

DatasetEntry diabetes_entry() {
  BuiltInTable table;
  table.name = "diabetes";
  table.description = "442 patients, 10 inputs scaled as in scikit-learn, progression of the disease (regression)";
  table.rows = 442;
  table.crc32 = 0x278adcdc;
  table.load = load_diabetes;
  return built_in_entry(table);
}

}  // namespace arks
