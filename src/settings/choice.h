#pragma once
// One of several things that are chosen by name and have settings of their own: a method, an attack, a known data set.
#include "settings/setting.h"
#include "support/contains.h"
#include "support/text.h"

#include <algorithm>
#include <memory>

namespace arks {

/// A line of a table of things that can be chosen.
template <typename Thing>
struct Choosable {
  std::string name;   ///< as it is typed
  std::string about;  ///< one sentence
  std::function<std::unique_ptr<Thing>()> make;
};

template <typename Thing>
std::vector<std::string> names_of(const std::vector<Choosable<Thing>>& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

/// "  name   sentence", a line each.
template <typename Thing>
std::string table_text(const std::vector<Choosable<Thing>>& table) {
  std::string text;
  for (const auto& entry : table) {
    constexpr size_t kColumn = 10;
    text +=
        "  " + entry.name + std::string(kColumn - std::min(kColumn - 1, entry.name.size()), ' ') + entry.about + "\n";
  }
  return text;
}

/// The thing of this name. Throws Error for one that is not there, with the nearest; `kind` is "method" or the like.
template <typename Thing>
std::unique_ptr<Thing> make_named(const std::string& kind, const std::vector<Choosable<Thing>>& table,
                                  const std::string& name) {
  return table[place_of(name, names_of(table), kind)].make();
}

/// SettingGroup::take with an Error that says who refuses the value, `who`: another thing may take it.
inline SettingValues take_as(const std::string& who, SettingGroup& thing, const SettingValues& values) {
  try {
    return thing.take(values);
  } catch (const Error& error) {
    throw Error(who + ": " + error.what());
  }
}

/// The thing of this name with these settings, none of them filled in. Throws Error for a name or a setting that is not
/// there, with the nearest one.
template <typename Thing>
std::unique_ptr<Thing> make_chosen(const std::string& kind, const std::vector<Choosable<Thing>>& table,
                                   const std::string& name, const SettingValues& settings) {
  auto made = make_named(kind, table, name);
  std::vector<std::string> known;
  for (const auto* setting : made->all()) known.push_back(setting->name());
  for (const auto& [unknown, value] : take_as(kind + " " + name, *made, settings)) {
    throw Error(kind + " " + name + " has no setting '" + unknown + "'" + did_you_mean(unknown, known) +
                (known.empty() ? "; it has none" : "; it has: " + join(known)));
  }
  return made;
}

/// What a setting means, and for which of the things.
struct Meaning {
  std::vector<std::string> users;
  std::string help, unit;
};

/// What the flags of a command need to know of a choice.
class AnyChoice {
 public:
  virtual ~AnyChoice() = default;
  /// The settings of all the things, each name once, as the chosen thing declares it.
  virtual std::vector<std::pair<std::string, const AnySetting*>> declared() const = 0;  ///< (title, setting)
  virtual void give(const std::string& name, const std::string& text) = 0;
  /// Whether what is chosen has this setting.
  virtual bool uses(const std::string& name) const = 0;
  /// What this setting means in the words of those that have it; those that say the same stand together.
  virtual std::vector<Meaning> meanings(const std::string& name) const = 0;
};

/// Values may be given before it is known what is chosen. What was given minus what the chosen thing declares is what
/// it does not use.
template <typename Thing>
class Choice : public AnyChoice {
 public:
  /// `kind` is "method" or the like, for errors.
  Choice(std::string kind, const std::vector<Choosable<Thing>>& table) : kind_(std::move(kind)), table_(table) {
    for (const auto& entry : table_) samples_.push_back(entry.make());
  }

  std::vector<std::string> names() const { return names_of(table_); }

  std::vector<std::pair<std::string, const AnySetting*>> declared() const override {
    std::vector<std::pair<std::string, const AnySetting*>> found;
    // under the headings in the order of the table, whatever was chosen
    for (const auto& sample : samples_) collect(*sample, found);
    if (!chosen_) return found;
    for (auto& [title, setting] : found) {
      if (const auto* own = chosen_->find(setting->name())) setting = own;
    }
    return found;
  }

  /// Throws Error when no thing has such a setting, or none could take the value. What is chosen may still refuse it.
  void give(const std::string& name, const std::string& text) override {
    bool taken = false;
    std::optional<Error> refusal;
    for (auto* setting : declarations_of(name)) {
      try {
        setting->take(text);
        taken = true;
      } catch (const Error& error) {
        if (!refusal) refusal = error;
      }
    }
    if (!taken) throw Error(*refusal);
    given_[name] = text;
  }

  /// Makes the thing of this name with the values given for it.
  Thing& choose(const std::string& name) {
    chosen_ = make_named(kind_, table_, name);
    unused_ = take_as(kind_ + " " + name, *chosen_, given_);
    return *chosen_;
  }
  /// The same without the values that it refuses: for --help.
  Thing& choose_with_what_fits(const std::string& name) {
    chosen_ = make_named(kind_, table_, name);
    for (const auto& [setting, text] : given_) {
      try {
        chosen_->take({{setting, text}});
      } catch (const Error&) {  // help comes, whatever was given
      }
    }
    return *chosen_;
  }
  bool has(const std::string& name) const {
    const auto known = names();
    return contains(known, name);
  }
  /// Nothing is chosen: whatever was given is not used.
  void choose_none() {
    chosen_.reset();
    unused_ = given_;
  }

  Thing* get() const { return chosen_.get(); }
  Thing& operator*() const { return *chosen_; }
  Thing* operator->() const { return chosen_.get(); }
  bool uses(const std::string& name) const override { return chosen_ && chosen_->find(name) != nullptr; }
  /// Given, and declared by others only: their flags.
  std::vector<std::string> unused() const { return flags_of(unused_); }
  /// All that was given.
  std::vector<std::string> given_flags() const { return flags_of(given_); }
  std::vector<Meaning> meanings(const std::string& name) const override {
    std::vector<Meaning> meanings;
    for (size_t i = 0; i < table_.size(); ++i) {
      const auto* setting = samples_[i]->find(name);
      if (setting == nullptr) continue;
      const auto same = std::find_if(meanings.begin(), meanings.end(),
                                     [&](const Meaning& meaning) { return meaning.help == setting->help(); });
      if (same == meanings.end()) {
        meanings.push_back({{table_[i].name}, setting->help(), setting->unit()});
      } else {
        same->users.push_back(table_[i].name);
      }
    }
    return meanings;
  }

 private:
  static void collect(const SettingGroup& group, std::vector<std::pair<std::string, const AnySetting*>>& found) {
    for (const auto* setting : group.own()) {
      const bool known = std::any_of(found.begin(), found.end(),
                                     [&](const auto& other) { return other.second->name() == setting->name(); });
      if (!known) found.emplace_back(group.title(), setting);
    }
    for (const auto* child : group.children()) collect(*child, found);
  }

  /// As they were typed.
  std::vector<std::string> flags_of(const SettingValues& values) const {
    std::vector<std::string> flags;
    for (const auto& [name, text] : values) {
      const bool off = text == "false" && declarations_of(name).front()->negatable();
      flags.push_back((off ? "--no-" : "--") + name);
    }
    return flags;
  }

  /// At least one, that of the chosen thing first.
  std::vector<AnySetting*> declarations_of(const std::string& name) const {
    std::vector<AnySetting*> found;
    if (chosen_ && chosen_->find(name) != nullptr) found.push_back(chosen_->find(name));
    for (const auto& sample : samples_) {
      if (auto* setting = sample->find(name)) found.push_back(setting);
    }
    ARKS_CHECK(!found.empty(), "no setting is called ", name);
    return found;
  }

  std::string kind_;
  const std::vector<Choosable<Thing>>& table_;
  std::vector<std::unique_ptr<Thing>> samples_;  // one of each, for what they declare
  SettingValues given_, unused_;
  std::unique_ptr<Thing> chosen_;
};

}  // namespace arks
