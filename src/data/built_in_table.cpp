#include "data/built_in_table.h"

#include "data/embedded.h"
#include "data/registry.h"
#include "data/tabular.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <zlib.h>

#include <ostream>

namespace arks {

namespace {

constexpr const char* kWhere = "built in";

std::string_view content(const std::string& name) {
  return embedded_file(name + ".csv");
}

DatasetStatus status_of(const BuiltInTable& table) {
  DatasetStatus status;
  status.name = table.name;
  status.found = true;
  status.where = kWhere;
  status.detail = c10::str(table.rows, " rows, ", human_bytes(static_cast<double>(content(table.name).size())));
  return status;
}

void verify(const BuiltInTable& table, std::ostream& out) {
  const auto text = content(table.name);
  const auto sum = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
  ARKS_CHECK(sum == table.crc32, table.name, " (", kWhere, "): content differs from the published set (CRC-32 ",
             hex(sum), " instead of ", hex(table.crc32), ")");
  const auto read = built_in_table(table.name, TabularOptions());
  ARKS_CHECK(read.inputs.size(0) == table.rows, table.name, " (", kWhere, "): ", read.inputs.size(0),
             " rows, but the published set has ", table.rows);
  out << table.name << " (" << kWhere << "): " << read.inputs.sizes() << ", CRC-32 " << hex(sum) << ", as published\n";
}

}  // namespace

DataTable built_in_table(const std::string& name, const TabularOptions& options) {
  return parse_csv_table(content(name), name, options);
}

DataTable built_in_columns(const std::string& name, const TabularOptions& options) {
  return parse_csv_columns(content(name), name, options);
}

DatasetEntry built_in_entry(const BuiltInTable& table) {
  DatasetEntry entry;
  entry.name = table.name;
  entry.description = table.description;
  entry.published = published_for_tables();
  entry.load_table = [table](const DataOptions& options) { return table.load(options.tabular()); };
  entry.load = [table](const DataOptions& options, Split split) {
    const auto splits = table.load(options.tabular());
    return split == Split::kTrain ? splits.train : splits.test;
  };
  entry.status = [table](const std::filesystem::path& /*data_dir*/) { return status_of(table); };
  entry.verify = [table](const std::filesystem::path& /*data_dir*/, std::ostream& out) { verify(table, out); };
  return entry;
}

}  // namespace arks
