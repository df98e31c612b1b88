#include "settings/setting.h"

#include "support/text.h"

#include <algorithm>
#include <filesystem>

namespace arks {

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

SettingTraits::SettingTraits(std::string name_of, std::string help_of)
    : name(std::move(name_of)), help(std::move(help_of)) {}
SettingTraits::SettingTraits(const SettingTraits& other) = default;
SettingTraits::SettingTraits(SettingTraits&& other) noexcept = default;
SettingTraits::~SettingTraits() = default;

AnySetting::AnySetting(SettingGroup* group, SettingTraits traits, const std::string& usual_type)
    : traits_(std::move(traits)) {
  if (traits_.type.empty()) traits_.type = usual_type;
  if (traits_.infinity) traits_.type += "|inf";
  group->settings_.push_back(this);
}

AnySetting::~AnySetting() = default;

void AnySetting::take(const std::string& text) {
  ARKS_CHECK(!text.empty(), flag(), ": a value is missing");
  parse(text);
  given_ = true;
}

void AnySetting::leave_open(std::string words) {
  reset();
  traits_.default_words = std::move(words);
}

void AnySetting::check_word(const std::string& text) const {
  if (!traits_.words || traits_.open) return;
  const auto known = words();
  // the word may well be known elsewhere
  ARKS_CHECK(known.size() != 1 || text == known.front(), flag(), " can only be ", known.front(), ", got ", text);
  auto what = name();
  std::replace(what.begin(), what.end(), '-', ' ');
  place_of(text, known, what);
}

std::vector<AnySetting*> SettingGroup::all() const {
  auto found = settings_;
  for (const auto* child : children_) {
    const auto within = child->all();
    found.insert(found.end(), within.begin(), within.end());
  }
  return found;
}

AnySetting* SettingGroup::find(const std::string& name) const {
  for (auto* setting : all()) {
    if (setting->name() == name) return setting;
  }
  return nullptr;
}

SettingValues SettingGroup::take(const SettingValues& values) {
  SettingValues left;
  for (const auto& [name, text] : values) {
    if (auto* setting = find(name)) {
      setting->take(text);
    } else {
      left.emplace(name, text);
    }
  }
  return left;
}

std::vector<std::string> SettingGroup::fill() {
  std::vector<std::string> said;
  for (auto* setting : all()) {
    setting->fill();
    if (setting->given() || !setting->has_value() || !setting->announced()) continue;
    // what is nothing, zero or no epochs, goes without a word
    if (setting->text() != "0" && setting->text() != "none") said.push_back(setting->name() + " " + setting->text());
  }
  return said;
}

std::vector<const AnySetting*> SettingGroup::in_force() const {
  std::vector<const AnySetting*> found;
  for (const auto* setting : all()) {
    if (!setting->has_value() || !setting->applies() || setting->is_output()) continue;
    if (setting->of_machine() && !setting->recorded()) continue;
    if (setting->given() || !setting->written_if_given()) found.push_back(setting);
  }
  return found;
}

std::vector<std::string> SettingGroup::without_effect() const {
  std::vector<std::string> sentences;
  for (const auto* setting : all()) {
    if (!setting->given() || setting->applies()) continue;
    sentences.push_back(setting->flag() + " is only used " + setting->condition().where);
  }
  return sentences;
}

std::vector<std::string> SettingGroup::given_flags() const {
  std::vector<std::string> flags;
  for (const auto* setting : all()) {
    if (!setting->given()) continue;
    flags.push_back(setting->negatable() && setting->text() == "false" ? "--no-" + setting->name() : setting->flag());
  }
  return flags;
}

SettingValues SettingGroup::values() const {
  SettingValues found;
  for (const auto* setting : all()) {
    if (setting->has_value()) found.emplace(setting->name(), setting->text());
  }
  return found;
}

Declaration<double> real(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
Declaration<int64_t> whole(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
Declaration<std::string> text(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
Declaration<bool> yes_no(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
Declaration<NumberList> numbers(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
Declaration<RangeList> ranges(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}

template class Setting<double>;
template class Setting<int64_t>;
template class Setting<std::string>;
template class Setting<bool>;
template class Setting<NumberList>;
template class Setting<RangeList>;

}  // namespace arks
