#include "celeba_lists.h"
#include "image_name.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace arks {

namespace fs = std::filesystem;

namespace {

/// A text file line by line, each as the words between its blanks.
class Lines {
 public:
  explicit Lines(fs::path path) : path_(std::move(path)), content_(read_file(path_)), rest_(content_) {
    // the line break at the end of the last line begins no other
    while (!rest_.empty() && is_space(rest_.back())) rest_.remove_suffix(1);
  }

  bool next() {
    if (rest_.empty()) return false;
    ++number_;
    auto line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    words_.clear();
    while (!line.empty()) {
      const auto end = static_cast<size_t>(std::find_if(line.begin(), line.end(), is_space) - line.begin());
      if (end > 0) words_.push_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return true;
  }

  const std::vector<std::string_view>& words() const { return words_; }
  int64_t number() const { return number_; }
  const fs::path& path() const { return path_; }
  /// "FILE, line 7"
  std::string here() const { return c10::str(path_.string(), ", line ", number_); }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  fs::path path_;
  std::string content_;
  std::string_view rest_;
  std::vector<std::string_view> words_;
  int64_t number_ = 0;
};

struct Row {
  int64_t line;
  bool label;
  bool has_partition = false;
};

using Rows = std::unordered_map<std::string, Row>;

int64_t read_count(Lines& lines) {
  ARKS_CHECK(lines.next(), lines.path().string(), " is empty");
  ARKS_CHECK(lines.words().size() == 1, lines.here(), ": expected only the number of images, found ",
             lines.words().size(), " words");
  const int64_t count = parse_whole_number(std::string(lines.words()[0]), lines.here());
  ARKS_CHECK(count > 0, lines.here(), ": the number of images must be positive, got ", count);
  return count;
}

std::vector<std::string> read_names(Lines& lines) {
  ARKS_CHECK(lines.next() && !lines.words().empty(), lines.path().string(),
             ", line 2: expected the names of the attributes");
  return {lines.words().begin(), lines.words().end()};
}

size_t position_of(const std::string& attribute, const std::vector<std::string>& names, const fs::path& path) {
  const auto found = std::find(names.begin(), names.end(), attribute);
  ARKS_CHECK(found != names.end(), "unknown attribute '", attribute, "'", did_you_mean(attribute, names), "; ",
             path.string(), " has: ", join(names));
  return static_cast<size_t>(found - names.begin());
}

/// True for "1", false for "-1".
bool parse_value(std::string_view word, const std::string& name, const Lines& lines) {
  ARKS_CHECK(word == "1" || word == "-1", lines.here(), ": the value of ", name, " is '", word, "', expected 1 or -1");
  return word == "1";
}

Rows read_attributes(const fs::path& path, const std::string& attribute, std::vector<std::string>& names) {
  Lines lines(path);
  const int64_t count = read_count(lines);
  names = read_names(lines);
  const size_t wanted = position_of(attribute, names, path);
  Rows rows;
  while (lines.next()) {
    const auto& words = lines.words();
    ARKS_CHECK(static_cast<int64_t>(rows.size()) < count, lines.here(), ": one row more than the ", count,
               " announced in line 1");
    ARKS_CHECK(words.size() == names.size() + 1, lines.here(), ": expected a file and ", names.size(),
               " values, one for each attribute, found ", words.size(), " words");
    Row row{lines.number(), false};
    for (size_t i = 0; i < names.size(); ++i) {
      const bool value = parse_value(words[i + 1], names[i], lines);
      if (i == wanted) row.label = value;
    }
    const auto [place, is_new] = rows.emplace(std::string(words[0]), row);
    ARKS_CHECK(is_new, lines.here(), ": ", words[0], " is listed twice, first in line ", place->second.line);
  }
  ARKS_CHECK(static_cast<int64_t>(rows.size()) == count, path.string(), ": ends after ", rows.size(),
             " rows, but line 1 announces ", count);
  return rows;
}

std::vector<CelebaImage> read_partitions(const fs::path& path, Rows& rows) {
  Lines lines(path);
  std::vector<CelebaImage> images;
  while (lines.next()) {
    const auto& words = lines.words();
    ARKS_CHECK(words.size() == 2, lines.here(), ": expected a file and its partition, found ", words.size(), " words");
    ARKS_CHECK(words[1] == "0" || words[1] == "1" || words[1] == "2", lines.here(), ": the partition is '", words[1],
               "', expected 0 (training), 1 or 2 (test)");
    CelebaImage image;
    image.file = words[0];
    image.partition = words[1][0] - '0';
    const auto row = rows.find(image.file);
    ARKS_CHECK(row != rows.end(), lines.here(), ": ", image.file, " has no row in ", kCelebaAttributes);
    ARKS_CHECK(!row->second.has_partition, lines.here(), ": ", image.file, " is listed twice");
    row->second.has_partition = true;
    image.label = row->second.label;
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace

CelebaLists read_celeba_lists(const fs::path& folder, const std::string& attribute) {
  CelebaLists lists;
  const auto attributes = folder / kCelebaAttributes;
  auto rows = read_attributes(attributes, attribute, lists.attributes);
  lists.images = read_partitions(folder / kCelebaPartitions, rows);
  const std::pair<const std::string, Row>* lacking = nullptr;
  for (const auto& row : rows) {
    if (!row.second.has_partition && (lacking == nullptr || row.second.line < lacking->second.line)) lacking = &row;
  }
  if (lacking == nullptr) return lists;
  throw Error(c10::str(attributes.string(), ", line ", lacking->second.line, ": ", lacking->first, " has no row in ",
                       kCelebaPartitions));
}

void check_celeba_images(const fs::path& folder, const CelebaLists& lists) {
  const auto images = folder / kCelebaImages;
  std::unordered_set<std::string> on_disk;
  std::error_code error;
  for (fs::directory_iterator entry(images, error), end; !error && entry != end; entry.increment(error)) {
    if (has_image_name(entry->path())) on_disk.insert(entry->path().filename().string());
  }
  ARKS_CHECK(!error, "cannot read the folder ", images.string(), ": ", error.message());
  const size_t found = on_disk.size();
  for (const auto& image : lists.images) {
    ARKS_CHECK(on_disk.erase(image.file) == 1, images.string(), " has no ", image.file, ", which ", kCelebaAttributes,
               " lists");
  }
  if (on_disk.empty()) return;
  const auto first = *std::min_element(on_disk.begin(), on_disk.end());
  throw Error(c10::str(images.string(), " has ", found, " images but ", kCelebaAttributes, " has only ",
                       lists.images.size(), " rows: ", first, " has none"));
}

}  // namespace arks
