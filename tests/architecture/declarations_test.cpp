// What the public headers promise is there and is of use, read from the headers, the library and the documents.
#include "support/file.h"
#include "support/testing.h"

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <set>

namespace arks {

namespace {

namespace fs = std::filesystem;

std::string without_comments(const std::string& text) {
  static const std::regex kComment(R"re(//[^\n]*)re");
  return std::regex_replace(text, kComment, "");
}

/// The content of all files below the folders whose names end so, without comments.
std::string all_text(const std::vector<std::string>& folders, const std::set<std::string>& extensions) {
  std::string text;
  for (const auto& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ARKS_SOURCE_FOLDER) / folder)) {
      if (extensions.count(entry.path().extension().string()) == 0) continue;
      text += without_comments(read_file(entry.path())) + "\n";
    }
  }
  return text;
}

/// Functions that are declared and not defined on the spot, and how often: a type, a name, arguments and a semicolon.
std::map<std::string, int64_t> declared_in(const std::string& headers) {
  static const std::regex kFunction(
      R"re(([\w>&*])\s+[&*]?([a-z_]\w*)\(((?:[^;{}()]|\([^()]*\))*)\)(?:\s*(?:const|noexcept|override))*\s*;)re");
  static const std::regex kStatement(R"re((?:return|throw|else)$)re");
  std::map<std::string, int64_t> found;
  for (std::sregex_iterator at(headers.begin(), headers.end(), kFunction), end; at != end; ++at) {
    const auto before = headers.substr(0, static_cast<size_t>(at->position(2)));
    const auto type_end = before.find_last_not_of(" \n&*");
    const auto word = before.substr(type_end < 6 ? 0 : type_end - 6, 7);
    if (!std::regex_search(word.substr(word.find_last_of(" \n") + 1), kStatement)) ++found[(*at)[2]];
  }
  return found;
}

bool is_of_a_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Names of all functions in the library: the words before a parenthesis. Not by an expression, which takes ten
/// seconds.
std::set<std::string> defined_functions() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen("nm -C --defined-only '" ARKS_LIBRARY "'", "r"), ::pclose);
  std::string symbols;
  std::array<char, 1 << 16> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    symbols.append(buffer.data(), count);
  }
  const std::string tag = "[abi:cxx11]";
  std::set<std::string> names;
  for (auto at = symbols.find('('); at != std::string::npos; at = symbols.find('(', at + 1)) {
    size_t end = at;
    if (end >= tag.size() && symbols.compare(end - tag.size(), tag.size(), tag) == 0) end -= tag.size();
    size_t begin = end;
    while (begin > 0 && is_of_a_word(symbols[begin - 1])) --begin;
    if (begin < end) names.insert(symbols.substr(begin, end - begin));
  }
  return names;
}

int64_t count_word(const std::string& word, const std::string& text) {
  int64_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((end == text.size() || !is_of_a_word(text[end])) && (at == 0 || !is_of_a_word(text[at - 1]))) ++count;
  }
  return count;
}

}  // namespace

TEST(Declarations, AreFoundInAText) {
  const auto found = declared_in(
      "int one(int);\nstd::vector<int> two(const A& a = A()) const;\nT& three();\n"
      "inline int no(int x) {\n  return not_this(x);\n}\nvirtual int pure() const = 0;\n");
  EXPECT_EQ(found, (std::map<std::string, int64_t>{{"one", 1}, {"two", 1}, {"three", 1}}));
}

TEST(Declarations, OfThePublicHeadersHaveADefinition) {
  const auto declared = declared_in(all_text({"include/arks"}, {".h"}));
  const auto defined = defined_functions();
  ASSERT_GT(declared.size(), 100U);
  ASSERT_GT(defined.size(), 1000U);
  for (const auto& [name, times] : declared) EXPECT_EQ(defined.count(name), 1U) << name << " is defined nowhere";
}

TEST(Declarations, OfThePublicHeadersAreUsedOrStandInTheDocuments) {
  const auto headers = all_text({"include/arks"}, {".h"});
  const auto code = headers + all_text({"src", "examples"}, {".h", ".cpp"});
  const auto documents = all_text({"docs"}, {".md"}) + read_file(fs::path(ARKS_SOURCE_FOLDER) / "README.md");
  for (const auto& [name, times] : declared_in(headers)) {
    const auto uses = count_word(name, code) - 2 * times;  // but for the declaration and the definition
    EXPECT_TRUE(uses > 0 || count_word(name, documents) > 0)
        << name << ": nobody calls it, and no document tells a programmer that it is there";
  }
}

}  // namespace arks
