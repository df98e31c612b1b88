#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// Replaces `path` by `content` so that a reader, or a crash at any moment, sees the old file or the new one and never
/// a part: written beside it, flushed to disk, renamed. Throws RunError when the disk does not take it.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);
/// The same for a content in parts, which are written one after the other without being copied together.
void write_file_atomically(const std::filesystem::path& path, const std::vector<std::string_view>& parts);

/// Where write_file_atomically writes what becomes `path`: left behind by a program that was killed.
std::filesystem::path unfinished(std::filesystem::path path);

/// The whole file. Throws Error naming the path when it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// CRC-32 of the whole file, which is read in pieces. Throws Error naming the path when it cannot be read.
uint32_t file_crc32(const std::filesystem::path& path);

}  // namespace arks
