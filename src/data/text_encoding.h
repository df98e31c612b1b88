#pragma once
// Files of text in any of the usual character sets, as UTF-8.
#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// UTF-8 without a byte order mark, and what is worth saying of how it was found, a sentence each.
struct DecodedText {
  std::string text;
  std::vector<std::string> notes;
};

/// UTF-16 where a byte order mark says so, as Excel writes "Unicode text". Else UTF-8; bytes that are not are read as
/// Windows-1252, in which every byte is a letter. Throws Error naming the text when UTF-16 is damaged.
DecodedText to_utf8(std::string bytes, const std::string& name);

/// Half of the memory of this machine: what is made of a text takes about as much again.
double most_bytes_of_text();

/// The same of a file, which is decompressed when its name ends in .gz, capitals or not. Throws Error naming the file
/// when it cannot be read, is damaged, or holds more bytes of text than `most`.
DecodedText read_text(const std::filesystem::path& path, double most = most_bytes_of_text());

/// The end of a name in small letters, without .gz: ".csv" of "A.CSV.gz".
std::string text_extension(const std::filesystem::path& path);

}  // namespace arks
