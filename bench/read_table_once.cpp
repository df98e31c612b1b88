// What bench/table.py compares with pandas: a table read, encoded and split, ready for training:
//   read_table_once FILE TARGET
// Prints the seconds it took and the number of training and test rows and inputs, as JSON.
#include "support/stopwatch.h"

#include <arks/data/load.h>
#include <arks/support/error.h>
#include <arks/support/process.h>

#include <iostream>
#include <nlohmann/json.hpp>

int main(int argc, char** argv) {
  try {
    ARKS_CHECK(argc == 3, "usage: read_table_once FILE TARGET");
    arks::keep_freed_memory();  // as the tool does
    const arks::Stopwatch watch;
    const auto parts = arks::load_parts(argv[1], arks::DataOptions().tabular(arks::TabularOptions().target(argv[2])));
    const nlohmann::json result = {{"seconds", watch.seconds()},
                                   {"train", parts.train->size()},
                                   {"test", parts.test->size()},
                                   {"inputs", parts.train->info().input_shape.at(0)}};
    std::cout << result.dump() << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return dynamic_cast<const arks::Error*>(&error) != nullptr ? 2 : 1;
  }
}
