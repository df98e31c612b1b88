#pragma once
// A setting is declared once: name, meaning, unit, words or range, default. Everything else that knows of it, the flag
// and its help, TOML in and out, a run's configuration, sweeps, completion, the manual and the docs, is derived from
// that.
#include "settings/value.h"

#include <arks/settings/setting_values.h>

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arks {

class SettingGroup;

/// Whether and where a setting has an effect: `holds` is asked when the others are known, `where` completes
/// "--momentum is only used …".
struct Condition {
  std::function<bool()> holds;
  std::string where;
};

/// What is declared of a setting, whatever its type; the accessors of AnySetting say what each is.
struct SettingTraits {
  SettingTraits(std::string name, std::string help);
  SettingTraits(const SettingTraits& other);
  SettingTraits(SettingTraits&& other) noexcept;
  ~SettingTraits();

  std::string name, help, unit, range, type, short_flag, default_words, not_in_studies;
  std::function<std::vector<std::string>()> words;
  bool open = false, is_path = false, several_paths = false, negatable = false, is_output = false, of_machine = false;
  bool written_if_given = false, in_data = false, announced = false, infinity = false, recorded = false;
  bool only_typed = false;
  std::optional<bool> changes_on_resume;
  Condition condition;
};

/// What all settings have in common, whatever their type.
class AnySetting {
 public:
  virtual ~AnySetting();
  AnySetting(const AnySetting&) = delete;
  AnySetting& operator=(const AnySetting&) = delete;

  const std::string& name() const { return traits_.name; }  ///< "sigma": key of a TOML file
  std::string flag() const { return "--" + traits_.name; }
  const std::string& help() const { return traits_.help; }  ///< the meaning, in one line
  /// What a number counts, "epochs" or "input units"; empty where there is nothing to say.
  const std::string& unit() const { return traits_.unit; }
  /// Which numbers are taken, "> 0" or "above 0 and below 1"; empty where all are.
  const std::string& range() const { return traits_.range; }
  const std::string& short_flag() const { return traits_.short_flag; }
  /// What --help writes for a value: "N", "X", "FILE"; nothing for one that is on or off.
  const std::string& type() const { return traits_.type; }
  /// The values there are, where they are words.
  std::vector<std::string> words() const { return traits_.words ? traits_.words() : std::vector<std::string>(); }
  /// Completed by names of files, beside the words.
  bool is_path() const { return traits_.is_path; }
  /// A list of paths with commas, where one may have a name: NAME=PATH.
  bool several_paths() const { return traits_.several_paths; }
  /// Has --no-NAME too: on, off and not said are three things.
  bool negatable() const { return traits_.negatable; }
  /// Left out of configurations: it says where results go, not what they are.
  bool is_output() const { return traits_.is_output; }
  /// Left out of configurations: it says how this machine computes or where its data lie.
  bool of_machine() const { return traits_.of_machine; }
  /// Left out of configurations unless it was given: its default follows from what stands there.
  bool written_if_given() const { return traits_.written_if_given; }
  /// Of the machine, and in configurations all the same: a run that goes on takes it again.
  bool recorded() const { return traits_.recorded; }
  /// May be another one when a run goes on; usually what is of the machine or an output.
  bool changes_on_resume() const { return traits_.changes_on_resume.value_or(is_output() || of_machine()); }
  /// Why neither a search nor an experiment may give it; empty where they may.
  const std::string& not_in_studies() const { return traits_.not_in_studies; }
  /// Belongs on the command line, and not into a file.
  bool only_typed() const { return traits_.only_typed; }
  /// May stand in the table [data] of a file.
  bool in_data() const { return traits_.in_data; }

  /// Whether several values can be meant, as a list in a file of TOML.
  virtual bool takes_list() const = 0;

  bool given() const { return given_; }  ///< by the user, in a file or by a flag
  virtual bool has_value() const = 0;    ///< given, or filled in
  /// Its default depends on data or method, so runs say what it is.
  bool announced() const { return traits_.announced; }

  /// The value as somebody gave it. Throws Error naming the flag when it cannot be meant.
  void take(const std::string& text);
  /// Puts the default where nothing was given; nothing where there is none.
  virtual void fill() = 0;
  /// Forgets value and origin.
  virtual void reset() = 0;
  /// For --help, where the default cannot be known yet: these words stand for it.
  void leave_open(std::string words);

  /// The value in force: as it would be typed, in TOML, and with its kind.
  virtual std::string text() const = 0;
  virtual std::string toml() const = 0;
  virtual ConfigValue value() const = 0;
  /// The default in words, where it is no value: "half of --epochs".
  const std::string& default_words() const { return traits_.default_words; }

  /// False when it has no effect as the others are.
  bool applies() const { return !traits_.condition.holds || traits_.condition.holds(); }
  const Condition& condition() const { return traits_.condition; }

 protected:
  /// Registers itself in the group. `usual_type` is its type where none was declared.
  AnySetting(SettingGroup* group, SettingTraits traits, const std::string& usual_type);
  /// Parses and checks.
  virtual void parse(const std::string& text) = 0;
  /// Throws Error when the setting takes words and this is none of them.
  void check_word(const std::string& text) const;

  SettingTraits traits_;
  bool given_ = false;
};

/// Settings that belong together, in the order of their declaration; they register themselves. A group may hold others.
class SettingGroup {
 public:
  explicit SettingGroup(std::string title = "") : title_(std::move(title)) {}
  /// A group within another.
  SettingGroup(SettingGroup* parent, std::string title) : title_(std::move(title)) {
    parent->children_.push_back(this);
  }
  virtual ~SettingGroup() = default;
  SettingGroup(const SettingGroup&) = delete;
  SettingGroup& operator=(const SettingGroup&) = delete;

  const std::string& title() const { return title_; }
  const std::vector<AnySetting*>& own() const { return settings_; }
  const std::vector<SettingGroup*>& children() const { return children_; }
  /// Own settings, then those of the groups within.
  std::vector<AnySetting*> all() const;
  AnySetting* find(const std::string& name) const;

  /// Takes the values whose names it declares; returns those that are left.
  SettingValues take(const SettingValues& values);
  /// Defaults in the order of declaration, so that one may depend on those before it. Returns what is worth saying,
  /// "epochs 45".
  std::vector<std::string> fill();
  /// Those that are in force and have an effect: what decides the result.
  std::vector<const AnySetting*> in_force() const;
  /// A sentence for each that was given and has no effect as the others are.
  std::vector<std::string> without_effect() const;
  /// "--target", "--task": what was given.
  std::vector<std::string> given_flags() const;
  SettingValues values() const;

 private:
  friend class AnySetting;
  std::string title_;
  std::vector<AnySetting*> settings_;
  std::vector<SettingGroup*> children_;
};

/// From the folder that the program runs in.
std::string absolute_path(const std::string& path);

/// How a setting is declared, piece by piece: real("sigma", "bandwidth").unit("input units").positive().
template <typename Value>
class Declaration {
 public:
  Declaration(std::string name, std::string help) : traits_(std::move(name), std::move(help)) {}

  /// What --help writes for the value.
  Declaration& type(std::string word) { return set(traits_.type, std::move(word)); }
  Declaration& unit(std::string name) { return set(traits_.unit, std::move(name)); }
  Declaration& short_flag(std::string flag) { return set(traits_.short_flag, std::move(flag)); }
  Declaration& words(std::vector<std::string> known) {
    traits_.words = [known = std::move(known)] { return known; };
    return *this;
  }
  /// The words of a table that can grow.
  Declaration& words(std::function<std::vector<std::string>()> known) { return set(traits_.words, std::move(known)); }
  /// Other texts than the words are taken as well; who uses it checks them.
  Declaration& open() { return set(traits_.open, true); }
  Declaration& path(std::string word = "FILE") { return set(traits_.is_path, true).type(std::move(word)); }
  Declaration& paths(std::string word = "FILE") { return set(traits_.several_paths, true).path(std::move(word)); }
  /// A file that is read: kept as an absolute path, so that a run finds it from anywhere.
  Declaration& input_file() {
    stored_as_ = [](const Value& typed) { return absolute_path(typed); };
    return path();
  }
  Declaration& negatable() { return set(traits_.negatable, true); }
  Declaration& output() {
    return set(traits_.is_output, true).not_in_studies("results go where the search or the experiment keeps them");
  }
  /// The reason, as the end of "'out' is not allowed: …".
  Declaration& not_in_studies(std::string why) { return set(traits_.not_in_studies, std::move(why)); }
  Declaration& of_machine() { return set(traits_.of_machine, true); }
  Declaration& recorded() { return set(traits_.recorded, true); }
  Declaration& changes_on_resume(bool may) { return set(traits_.changes_on_resume, may); }
  Declaration& written_if_given() { return set(traits_.written_if_given, true); }
  Declaration& in_data() { return set(traits_.in_data, true); }
  Declaration& only_typed() { return set(traits_.only_typed, true); }

  Declaration& positive() {
    return must("must be positive", [](const Value& v) { return v > 0; }).range("> 0");
  }
  Declaration& not_negative() {
    return must("must not be negative", [](const Value& v) { return !(v < 0); }).range(">= 0");
  }
  Declaration& between(Value low, Value high) {
    return checked(to_text(low) + " to " + to_text(high),
                   [low, high](const Value& v) { return !(v < low) && !(high < v); });
  }
  /// A range in words, "above 0 and below 1".
  Declaration& checked(const std::string& words, std::function<bool(const Value&)> holds) {
    return must("must be " + words, std::move(holds)).range(words);
  }
  /// For what one sentence does not say: `check` throws an Error of its own.
  Declaration& verify(std::function<void(const Value&)> check) { return set(verify_, std::move(check)); }
  Declaration& or_infinity() { return set(traits_.infinity, true); }

  /// The default: a value that holds everywhere …
  Declaration& otherwise(Value value) {
    default_ = [value = std::move(value)] { return std::optional<Value>(value); };
    return *this;
  }
  /// … or one that depends on data, method and the settings before it; runs say what it came to. None: no default.
  Declaration& otherwise(std::function<std::optional<Value>()> value) {
    traits_.announced = true;
    return set(default_, std::move(value));
  }
  /// The same, without a word about it.
  Declaration& quietly(std::function<std::optional<Value>()> value) { return set(default_, std::move(value)); }
  /// What --help says where the default is no value: "the last column".
  Declaration& default_words(std::string text) { return set(traits_.default_words, std::move(text)); }

  Declaration& only_if(std::function<bool()> holds, std::string where) {
    traits_.condition = {std::move(holds), std::move(where)};
    return *this;
  }

 private:
  template <typename>
  friend class Setting;
  Declaration& range(std::string words) { return set(traits_.range, std::move(words)); }
  Declaration& must(std::string sentence, std::function<bool(const Value&)> holds) {
    must_ = std::move(sentence);
    return set(holds_, std::move(holds));
  }
  template <typename Member, typename New>
  Declaration& set(Member& member, New&& value) {
    member = std::forward<New>(value);
    return *this;
  }

  SettingTraits traits_;
  std::string must_;
  std::function<bool(const Value&)> holds_;
  std::function<void(const Value&)> verify_;
  std::function<Value(const Value&)> stored_as_;
  std::function<std::optional<Value>()> default_;
};

Declaration<double> real(std::string name, std::string help);
Declaration<int64_t> whole(std::string name, std::string help);
Declaration<std::string> text(std::string name, std::string help);
Declaration<bool> yes_no(std::string name, std::string help);
Declaration<NumberList> numbers(std::string name, std::string help);
Declaration<RangeList> ranges(std::string name, std::string help);

template <typename Value>
class Setting : public AnySetting {
 public:
  Setting(SettingGroup* group, Declaration<Value> declaration)
      : AnySetting(group, declaration.traits_, type_word(Value())), declaration_(std::move(declaration)) {}

  bool has_value() const override { return value_.has_value(); }
  explicit operator bool() const = delete;  // of a flag: whether it is on, or whether there is a value?
  const Value& operator*() const {
    ARKS_CHECK(value_, flag(), " has no value");
    return *value_;
  }
  const Value* operator->() const { return &**this; }
  Value value_or(Value otherwise) const { return value_.value_or(std::move(otherwise)); }
  const std::optional<Value>& optional() const { return value_; }

  /// What was found out later, such as the checksum of a file or the number of columns.
  void found(Value value) { value_ = std::move(value); }
  void reset() override {
    value_.reset();
    given_ = false;
  }
  void fill() override {
    if (!given_ && declaration_.default_ && applies()) value_ = declaration_.default_();
  }

  bool takes_list() const override { return !std::is_arithmetic_v<Value> && (!traits_.words || traits_.open); }
  std::string text() const override { return to_text(**this); }
  std::string toml() const override { return to_toml(**this); }
  ConfigValue value() const override { return to_config(**this); }

 protected:
  void parse(const std::string& given) override {
    check_word(given);
    auto parsed = from_text(given, flag(), traits_.infinity, Value());
    if (declaration_.holds_) {
      ARKS_CHECK(declaration_.holds_(parsed), flag(), " ", declaration_.must_, ", got ", given);
    }
    if (declaration_.verify_) declaration_.verify_(parsed);
    value_ = declaration_.stored_as_ ? declaration_.stored_as_(parsed) : std::move(parsed);
  }

 private:
  Declaration<Value> declaration_;
  std::optional<Value> value_;
};

// made once, in setting.cpp: they are in every file that knows a command
extern template class Setting<double>;
extern template class Setting<int64_t>;
extern template class Setting<std::string>;
extern template class Setting<bool>;
extern template class Setting<NumberList>;
extern template class Setting<RangeList>;

}  // namespace arks
