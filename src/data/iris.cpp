#include "data/built_in_table.h"

#include <arks/data/iris.h>

namespace arks {

DataSplits load_iris(const TabularOptions& options) {
  return split_table(built_in_table("iris", options), options, /*standardise_by_default=*/false);
}

DatasetEntry iris_entry() {
  BuiltInTable table;
  table.name = "iris";
  table.description = "150 flowers, 4 measures in cm, 3 species";
  table.rows = 150;
  table.crc32 = 0x4cacf40b;
  table.load = load_iris;
  return built_in_entry(table);
}

}  // namespace arks
