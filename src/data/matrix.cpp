#include "data/matrix.h"

#include "data/npy.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <sstream>
#include <vector>

namespace arks {

torch::Tensor read_matrix(const std::filesystem::path& path) {
  if (path.extension() == ".npy") {
    const auto matrix = read_npy(path);
    ARKS_CHECK(matrix.dim() == 2, path.string(), ": expected a matrix, got an array of shape ", matrix.sizes());
    return matrix.to(torch::kDouble);
  }
  std::istringstream text(read_file(path));
  std::vector<double> numbers;
  size_t columns = 0;
  int64_t rows = 0, number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    for (auto& c : line) c = c == ',' || c == ';' || c == '\t' || c == '\r' ? ' ' : c;
    std::istringstream cells(line);
    size_t found = 0;
    const auto where = c10::str(path.string(), ", line ", number);
    for (std::string cell; cells >> cell; ++found) numbers.push_back(parse_number(cell, where));
    if (found == 0) continue;
    if (rows++ == 0) columns = found;
    ARKS_CHECK(found == columns, where, ": ", found, " numbers, but the first row has ", columns);
  }
  ARKS_CHECK(rows > 0, path.string(), ": there are no rows of numbers");
  return torch::tensor(numbers, torch::kDouble).view({rows, static_cast<int64_t>(columns)});
}

}  // namespace arks
