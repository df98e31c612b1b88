#include "cli/image_settings.h"

#include "cli/progress.h"
#include "cli/toml_text.h"

#include <arks/data/image_cache.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <iostream>
#include <memory>

namespace arks::cli {

void CelebaSettings::fill() {
  const CelebaOptions defaults;
  attribute = attribute.value_or(defaults.attribute());
  balance = balance.value_or(defaults.balance());
  if (*balance) balance_seed = balance_seed.value_or(static_cast<int64_t>(defaults.balance_seed()));
}

void add_celeba_settings(Flags& flags, CelebaSettings& s) {
  flags.group("Faces (celeba)");
  flags.option("--attribute", s.attribute, "the label: which of the 40 attributes a face has or has not [Eyeglasses]");
  flags.flag("--balance,!--no-balance", s.balance,
             "leave faces out until as many have the attribute as have not, in training and test [yes]");
  flags.option("--balance-seed", s.balance_seed, "decides which faces are left out [0]");
}

std::vector<std::string> given_flags(const CelebaSettings& s) {
  std::vector<std::string> given;
  if (s.attribute) given.emplace_back("--attribute");
  if (s.balance) given.emplace_back(*s.balance ? "--balance" : "--no-balance");
  if (s.balance_seed) given.emplace_back("--balance-seed");
  return given;
}

CelebaOptions celeba_options(const CelebaSettings& s) {
  CelebaOptions options;
  if (s.attribute) options.attribute(*s.attribute);
  if (s.balance) options.balance(*s.balance);
  if (s.balance_seed) {
    ARKS_CHECK(*s.balance_seed >= 0, "--balance-seed must not be negative, got ", *s.balance_seed);
    options.balance_seed(static_cast<uint64_t>(*s.balance_seed));
  }
  return options;
}

std::vector<std::pair<std::string, std::string>> as_toml(const CelebaSettings& s) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (s.attribute) rows.emplace_back("attribute", quoted(*s.attribute));
  if (s.balance) rows.emplace_back("balance", *s.balance ? "true" : "false");
  if (s.balance_seed) rows.emplace_back("balance-seed", std::to_string(*s.balance_seed));
  return rows;
}

CelebaSettings celeba_settings_from(const std::map<std::string, std::string>& config) {
  CelebaSettings s;
  const auto text = [&](const char* key) {
    const auto found = config.find(key);
    return found == config.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  s.attribute = text("attribute");
  if (const auto value = text("balance")) s.balance = *value == "true";
  if (const auto value = text("balance-seed")) s.balance_seed = parse_whole_number(*value, "balance-seed");
  return s;
}

ImageFilesOptions image_files_options(const CommonOptions& common) {
  const auto bar = std::make_shared<ProgressBar>("images", !common.quiet);
  const bool quiet = common.quiet, verbose = common.verbose;
  ImageFilesOptions options;
  if (!common.no_cache) options.cache_dir(default_cache_dir());
  options.progress([bar](int64_t done, int64_t total) {
    bar->update(done, total, done, "reading images");
    if (done == total) bar->clear();
    return true;
  });
  options.note([quiet, verbose](const std::string& text, bool important) {
    if (verbose || (important && !quiet)) std::cerr << "arks: note: " << text << "\n";
  });
  return options;
}

}  // namespace arks::cli
