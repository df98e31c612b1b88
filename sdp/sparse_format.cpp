#include "sparse_format.h"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace arks_sdp {

namespace {

constexpr int kLargest = 10000;  // variables, blocks, rows of a block; above, a dense solver has no use

/// The numbers of a text in turn.
class Numbers {
 public:
  explicit Numbers(std::string text) : text_(std::move(text)) {
    for (char& c : text_) {
      if (c == ',' || c == '(' || c == ')' || c == '{' || c == '}') c = ' ';
    }
    next_ = text_.c_str();
  }

  bool at_end() {
    while (*next_ == ' ' || *next_ == '\t' || *next_ == '\n' || *next_ == '\r') ++next_;
    return *next_ == '\0';
  }

  double number(const std::string& what) {
    if (at_end()) throw BadInput(what + " expected, but the input ends");
    char* end = nullptr;
    const double value = std::strtod(next_, &end);
    if (end == next_ || !std::isfinite(value)) throw BadInput(what + " expected, got '" + word() + "'");
    next_ = end;
    return value;
  }

  int whole(const std::string& what, int low, int high) {
    const double value = number(what);
    if (value != std::floor(value) || value < low || value > high) {
      throw BadInput(what + " must be a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
                     ", got " + std::to_string(value));
    }
    return static_cast<int>(value);
  }

 private:
  std::string word() const {
    std::string found;
    for (const char* c = next_; *c > ' ' && found.size() < 20; ++c) found += *c;
    return found;
  }

  std::string text_;
  const char* next_ = nullptr;
};

std::string without_comments(std::istream& in) {
  std::string text, line;
  bool header = true;
  while (std::getline(in, line)) {
    header = header && !line.empty() && (line[0] == '"' || line[0] == '*');
    if (!header) text += line + "\n";
  }
  return text;
}

Entry read_entry(Numbers& numbers, const Program& program) {
  const int variables = static_cast<int>(program.objective.size()), blocks = static_cast<int>(program.blocks.size());
  Entry entry{};
  entry.matrix = numbers.whole("the matrix of an entry", 0, variables);
  entry.block = numbers.whole("the block of an entry", 1, blocks);
  const int block = program.blocks[static_cast<size_t>(entry.block - 1)];
  entry.row = numbers.whole("the row of an entry", 1, std::abs(block));
  entry.column = numbers.whole("the column of an entry", entry.row, block < 0 ? entry.row : block);
  entry.value = numbers.number("the value of an entry");
  return entry;
}

}  // namespace

Program read_program(std::istream& in) {
  Numbers numbers(without_comments(in));
  Program program;
  const int variables = numbers.whole("the number of variables", 1, kLargest);
  const int blocks = numbers.whole("the number of blocks", 1, kLargest);
  for (int l = 0; l < blocks; ++l) {
    program.blocks.push_back(numbers.whole("the size of a block", -kLargest, kLargest));
    if (program.blocks.back() == 0) throw BadInput("the size of a block must not be 0");
  }
  for (int k = 0; k < variables; ++k) program.objective.push_back(numbers.number("a coefficient of the objective"));
  while (!numbers.at_end()) program.entries.push_back(read_entry(numbers, program));
  return program;
}

}  // namespace arks_sdp
