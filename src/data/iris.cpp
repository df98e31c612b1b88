#include "data/iris.h"

#include "data/built_in_table.h"
#include "data/registry.h"

namespace arks {

DataSplits load_iris(const TabularOptions& options) {
  return split_table(built_in_columns("iris", options), options, /*standardise_by_default=*/false);
}

DatasetEntry iris_entry() {
  BuiltInTable table;
  table.name = "iris";
  table.description = "150 flowers, 4 measures in cm, 3 species";
  table.rows = 150;
  table.crc32 = 0x4cacf40b;
  table.load = load_iris;
  auto entry = built_in_entry(table);
  entry.published.batch_size = 128;
  entry.published.optimizer = "sgd";
  entry.published.learning_rate = 0.1;
  entry.published.momentum = 0;
  return entry;
}

}  // namespace arks
