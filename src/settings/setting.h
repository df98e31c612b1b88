#pragma once
// A setting is declared once: name, meaning, words or range, default. Everything else that knows of it, the flag and
// its help, TOML in and out, a run's configuration, sweeps, completion, the manual and the docs, is derived from that.
#include "settings/value.h"

#include <arks/settings/setting_values.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks {

class SettingGroup;

/// Whether and where a setting has an effect: `holds` is asked when the others are known, `where` completes
/// "--momentum is used with … only".
struct Condition {
  std::function<bool()> holds;
  std::string where;
};

/// What all settings have in common, whatever their type.
class AnySetting {
 public:
  virtual ~AnySetting() = default;
  AnySetting(const AnySetting&) = delete;
  AnySetting& operator=(const AnySetting&) = delete;

  const std::string& name() const { return name_; }  ///< "sigma": key of a TOML file
  std::string flag() const { return "--" + name_; }
  const std::string& help() const { return help_; }  ///< the meaning, in one line
  const std::string& short_flag() const { return short_flag_; }
  /// What --help writes for a value: "N", "X", "FILE"; nothing for one that is on or off.
  const std::string& type() const { return type_; }
  /// The values there are, where they are words.
  std::vector<std::string> words() const { return words_ ? words_() : std::vector<std::string>(); }
  /// Completed by names of files, beside the words.
  bool is_path() const { return is_path_; }
  /// Has --no-NAME too: on, off and not said are three things.
  bool negatable() const { return negatable_; }
  /// Left out of configurations: it says where results go, not what they are.
  bool is_output() const { return is_output_; }
  /// May stand in the table [data] of a file.
  bool in_data() const { return in_data_; }

  bool given() const { return given_; }          ///< by the user, in a file or by a flag
  virtual bool has_value() const = 0;            ///< given, or filled in
  bool announced() const { return announced_; }  ///< its default depends on data or method, so runs say what it is

  /// The value as somebody gave it. Throws Error naming the flag when it cannot be meant.
  void take(const std::string& text);
  /// Puts the default where nothing was given; nothing where there is none.
  virtual void fill() = 0;
  /// Forgets value and origin.
  virtual void reset() = 0;

  /// The value in force: as it would be typed, in TOML, and with its kind.
  virtual std::string text() const = 0;
  virtual std::string toml() const = 0;
  virtual ConfigValue value() const = 0;
  /// The default in words, where it is no value: "half of --epochs".
  const std::string& default_words() const { return default_words_; }

  /// False when it has no effect as the others are.
  bool applies() const { return !condition_.holds || condition_.holds(); }
  const Condition& condition() const { return condition_; }

 protected:
  AnySetting() = default;
  /// Parses and checks.
  virtual void parse(const std::string& text) = 0;
  void check_word(const std::string& text) const;

  std::string name_, help_, type_, short_flag_, default_words_;
  std::function<std::vector<std::string>()> words_;
  bool is_path_ = false, negatable_ = false, is_output_ = false, in_data_ = false, given_ = false, announced_ = false;
  Condition condition_;
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
  template <typename Value>
  friend class Setting;
  std::string title_;
  std::vector<AnySetting*> settings_;
  std::vector<SettingGroup*> children_;
};

/// From the folder that the program runs in.
std::string absolute_path(const std::string& path);

/// How a setting is declared, piece by piece: real("sigma", "bandwidth, in units of the input").positive().
template <typename Value>
class Declaration {
 public:
  Declaration(std::string name, std::string help) : name_(std::move(name)), help_(std::move(help)) {}

  /// What --help writes for the value.
  Declaration& type(std::string word) { return set(type_, std::move(word)); }
  Declaration& short_flag(std::string flag) { return set(short_flag_, std::move(flag)); }
  Declaration& words(std::vector<std::string> known) {
    words_ = [known = std::move(known)] { return known; };
    return *this;
  }
  /// The words of a table that can grow.
  Declaration& words(std::function<std::vector<std::string>()> known) { return set(words_, std::move(known)); }
  /// Other texts than the words are taken as well; who uses it checks them.
  Declaration& open() { return set(open_, true); }
  Declaration& path(std::string word = "FILE") { return set(is_path_, true).type(std::move(word)); }
  /// A file that is read: kept as an absolute path, so that a run finds it from anywhere.
  Declaration& input_file() {
    stored_as_ = [](const Value& typed) { return absolute_path(typed); };
    return path();
  }
  Declaration& negatable() { return set(negatable_, true); }
  Declaration& output() { return set(is_output_, true); }
  Declaration& in_data() { return set(in_data_, true); }

  Declaration& positive() {
    return checked("must be positive", [](const Value& v) { return v > 0; });
  }
  Declaration& not_negative() {
    return checked("must not be negative", [](const Value& v) { return !(v < 0); });
  }
  Declaration& between(Value low, Value high) {
    return checked("must be " + to_text(low) + " to " + to_text(high),
                   [low, high](const Value& v) { return !(v < low) && !(high < v); });
  }
  /// "must …", completed by the value that was given.
  Declaration& checked(std::string must, std::function<bool(const Value&)> holds) {
    must_ = std::move(must);
    return set(holds_, std::move(holds));
  }
  /// For what one sentence does not say: `check` throws an Error of its own.
  Declaration& verify(std::function<void(const Value&)> check) { return set(verify_, std::move(check)); }
  Declaration& or_infinity() { return set(infinity_, true); }

  /// The default: a value that holds everywhere …
  Declaration& otherwise(Value value) {
    default_ = [value = std::move(value)] { return std::optional<Value>(value); };
    return *this;
  }
  /// … or one that depends on data, method and the settings before it; runs say what it came to. None: no default.
  Declaration& otherwise(std::function<std::optional<Value>()> value) {
    announced_ = true;
    return set(default_, std::move(value));
  }
  /// The same, without a word about it.
  Declaration& quietly(std::function<std::optional<Value>()> value) { return set(default_, std::move(value)); }
  /// What --help says where the default is no value: "the last column".
  Declaration& default_words(std::string text) { return set(default_words_, std::move(text)); }

  Declaration& only_if(std::function<bool()> holds, std::string where) {
    condition_ = {std::move(holds), std::move(where)};
    return *this;
  }

 private:
  template <typename>
  friend class Setting;
  template <typename Member, typename New>
  Declaration& set(Member& member, New&& value) {
    member = std::forward<New>(value);
    return *this;
  }

  std::string name_, help_, type_, short_flag_, default_words_, must_;
  std::function<std::vector<std::string>()> words_;
  bool open_ = false, is_path_ = false, negatable_ = false, is_output_ = false, in_data_ = false, announced_ = false,
       infinity_ = false;
  std::function<bool(const Value&)> holds_;
  std::function<void(const Value&)> verify_;
  std::function<Value(const Value&)> stored_as_;
  std::function<std::optional<Value>()> default_;
  Condition condition_;
};

inline Declaration<double> real(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
inline Declaration<int64_t> whole(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
inline Declaration<std::string> text(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
inline Declaration<bool> yes_no(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
inline Declaration<NumberList> numbers(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}
inline Declaration<RangeList> ranges(std::string name, std::string help) {
  return {std::move(name), std::move(help)};
}

template <typename Value>
class Setting : public AnySetting {
 public:
  Setting(SettingGroup* group, Declaration<Value> declaration) : declaration_(std::move(declaration)) {
    name_ = declaration_.name_;
    help_ = declaration_.help_;
    type_ = declaration_.type_.empty() ? type_word(Value()) : declaration_.type_;
    if (declaration_.infinity_) type_ += "|inf";
    short_flag_ = declaration_.short_flag_;
    default_words_ = declaration_.default_words_;
    words_ = declaration_.words_;
    is_path_ = declaration_.is_path_;
    negatable_ = declaration_.negatable_;
    is_output_ = declaration_.is_output_;
    in_data_ = declaration_.in_data_;
    announced_ = declaration_.announced_;
    condition_ = declaration_.condition_;
    group->settings_.push_back(this);
  }

  bool has_value() const override { return value_.has_value(); }
  explicit operator bool() const = delete;  // of a flag: whether it is on, or whether there is a value?
  const Value& operator*() const {
    ARKS_CHECK(value_, flag(), " has no value");
    return *value_;
  }
  const Value* operator->() const { return &**this; }
  Value value_or(Value otherwise) const { return value_.value_or(std::move(otherwise)); }
  const std::optional<Value>& optional() const { return value_; }

  /// What was found out later, such as the check sum of a file or the number of columns.
  void found(Value value) { value_ = std::move(value); }
  void reset() override {
    value_.reset();
    given_ = false;
  }
  void fill() override {
    if (!given_ && declaration_.default_ && applies()) value_ = declaration_.default_();
  }

  std::string text() const override { return to_text(**this); }
  std::string toml() const override { return to_toml(**this); }
  ConfigValue value() const override { return to_config(**this); }

 protected:
  void parse(const std::string& given) override {
    if (words_ && !declaration_.open_) check_word(given);
    auto parsed = from_text(given, flag(), declaration_.infinity_, Value());
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

}  // namespace arks
