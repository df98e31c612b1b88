#include "study/sweep_plan.h"

#include "settings/toml_file.h"
#include "study/search_draw.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <set>

namespace arks::study {

namespace {

constexpr size_t kMostPoints = 100000;

/// The flags of one subcommand, and how to check and read tables of them.
struct FlagReader {
  const std::string& file;
  std::string command;
  const KnownFlags& known;

  void check(const std::string& key, const std::string& table) const {
    check_key(key, file, " in " + table, command, known);
  }

  std::string typed(const std::string& key, const std::string& value) const {
    return known.at(command).typed(key, value, std::filesystem::path(file).parent_path());
  }

  FlagValues read(const toml::table* values, const std::string& table) const {
    FlagValues flags;
    if (values == nullptr) return flags;
    for (const auto& key : keys_in_order(*values)) {
      check(key, table);
      flags[key] = typed(key, flag_text(*values->get(key), c10::str(file, ": '", key, "' in ", table)));
    }
    return flags;
  }
};

/// A parameter with the values it takes.
struct GridAxis {
  std::string name;
  std::vector<std::string> values;
};

std::vector<GridAxis> read_grid(const toml::table* grid, const std::string& table, const FlagReader& reader) {
  std::vector<GridAxis> axes;
  if (grid == nullptr) return axes;
  ARKS_CHECK(!grid->empty(), reader.file, ": ", table, " is empty; give lists such as sigma = [0.1, 1]");
  for (const auto& key : keys_in_order(*grid)) {
    reader.check(key, table);
    const auto where = c10::str(reader.file, ": '", key, "' in ", table);
    const auto* list = grid->get(key)->as_array();
    ARKS_CHECK(list != nullptr, where, " must be a list, [a, b]; a fixed value belongs in [train]");
    ARKS_CHECK(!list->empty(), where, " is an empty list; give the values to try");
    GridAxis axis{key, {}};
    for (const auto& item : *list) axis.values.push_back(reader.typed(key, flag_text(item, where)));
    axes.push_back(std::move(axis));
  }
  return axes;
}

struct RandomSearch {
  uint64_t points = 1;  ///< 1 without any parameter: the grid alone
  uint64_t seed = 0;
  std::vector<std::pair<std::string, SearchDraw>> draws;
};

RandomSearch read_random(const toml::table* random, const std::string& table, const FlagReader& reader) {
  RandomSearch search;
  if (random == nullptr) return search;
  const auto& file = reader.file;
  ARKS_CHECK(random->contains("points"), file, ": ", table, " needs points, the number of draws");
  for (const auto& key : keys_in_order(*random)) {
    const auto where = c10::str(file, ": '", key, "' in ", table);
    if (key == "points") {
      search.points = static_cast<uint64_t>(whole_number_of(*random->get(key), where, 1));
    } else if (key == "seed") {
      search.seed = static_cast<uint64_t>(whole_number_of(*random->get(key), where, 0));
    } else {
      reader.check(key, table);
      auto& draw = search.draws.emplace_back(key, read_search_draw(*random->get(key), where)).second;
      for (auto& value : draw.values) value = reader.typed(key, value);
    }
  }
  ARKS_CHECK(!search.draws.empty(), file, ": ", table, " draws nothing; give ranges such as lr = {log = [1e-4, 0.1]}");
  return search;
}

/// Where a group stands in the file, for errors.
struct GroupPlace {
  std::string prefix, suffix;  // "search." and " of group 2"
  std::string operator()(const std::string& table) const { return "[" + prefix + table + "]" + suffix; }
};

class GroupReader {
 public:
  GroupReader(const FlagReader& reader, const FlagValues& common, const StepDefaults& defaults, GroupPlace place)
      : reader_(reader), common_(common), defaults_(defaults), place_(std::move(place)) {}

  SweepGroup read(const toml::table& table, const std::string& default_name) {
    fixed_ = reader_.read(table_of(table, "train", reader_.file), place_("train"));
    grid_ = read_grid(table_of(table, "grid", reader_.file), place_("grid"), reader_);
    random_ = read_random(table_of(table, "random", reader_.file), place_("random"), reader_);
    SweepGroup group;
    for (const auto& [name, draw] : random_.draws) add_parameter(group, name);
    for (const auto& axis : grid_) add_parameter(group, axis.name);
    group.method = method_of(group);
    group.name = name_of(table, group.method.empty() ? default_name : group.method);
    add_points(group);
    return group;
  }

 private:
  void add_parameter(SweepGroup& group, const std::string& name) const {
    const auto twice = reader_.file + ": '" + name + "' is given twice: in ";
    const auto& known = group.parameters;
    ARKS_CHECK(fixed_.count(name) == 0, twice, place_("train"), ", and in ", place_("grid"), " or ", place_("random"));
    ARKS_CHECK(!contains(known, name), twice, place_("grid"), " and in ", place_("random"));
    group.parameters.push_back(name);
  }

  std::string method_of(const SweepGroup& group) const {
    const auto& searched = group.parameters;
    if (contains(searched, "method")) return "";
    return value_or(fixed_, "method", value_or(common_, "method", defaults_.method));
  }

  std::string name_of(const toml::table& table, const std::string& by_default) const {
    const auto* node = place_.prefix.empty() ? nullptr : table.get("name");
    if (node == nullptr) return by_default;
    const auto name = node->value_exact<std::string>().value_or("");
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; };
    ARKS_CHECK(!name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), is_plain), reader_.file,
               ": the name", place_.suffix,
               " must be a string of letters, digits, dots, dashes and underscores: it becomes part of ", "file names");
    return name;
  }

  void add_points(SweepGroup& group) const {
    size_t combinations = 1;
    for (const auto& axis : grid_) {
      combinations *= std::min(axis.values.size(), kMostPoints + 1);
      check_number(combinations);
    }
    check_number(random_.points > kMostPoints ? kMostPoints + 1 : random_.points * combinations);
    std::set<FlagValues> seen;
    for (uint64_t draw = 0; draw < random_.points; ++draw) {
      for (size_t combination = 0; combination < combinations; ++combination) {
        auto point = point_at(group.name, draw, combination);
        if (seen.insert(point.flags).second) group.points.push_back(std::move(point));
      }
    }
  }

  void check_number(size_t points) const {
    ARKS_CHECK(points <= kMostPoints, reader_.file, ": more than ", kMostPoints, " points in ", place_("grid"), " and ",
               place_("random"));
  }

  SweepPoint point_at(const std::string& group, uint64_t draw, size_t combination) const {
    SweepPoint point;
    for (const auto& [name, from] : random_.draws) {
      point.parameters.emplace_back(name, from.at(search_uniform(random_.seed, group, name, draw)));
    }
    const size_t first = point.parameters.size();
    for (auto axis = grid_.rbegin(); axis != grid_.rend(); ++axis) {  // the last one changes fastest
      point.parameters.insert(point.parameters.begin() + static_cast<std::ptrdiff_t>(first),
                              {axis->name, axis->values[combination % axis->values.size()]});
      combination /= axis->values.size();
    }
    point.flags = merged(common_, fixed_);
    for (const auto& [name, value] : point.parameters) point.flags[name] = value;
    return point;
  }

  const FlagReader& reader_;
  const FlagValues& common_;
  const StepDefaults& defaults_;
  GroupPlace place_;
  FlagValues fixed_;
  std::vector<GridAxis> grid_;
  RandomSearch random_;
};

void check_keys(const toml::table& table, const std::vector<std::string>& known, const std::string& where) {
  for (const auto& key : keys_in_order(table)) {
    ARKS_CHECK(contains(known, key), where, ": unknown key '", key, "'", did_you_mean(key, known),
               "; known: ", join(known));
  }
}

std::vector<int64_t> read_seeds(const toml::table& root, const std::string& file) {
  const auto* node = root.get("seeds");
  if (node == nullptr) return {0};
  const auto where = file + ": seeds";
  const auto* list = node->as_array();
  ARKS_CHECK(list != nullptr && !list->empty(), where, " must be a list with one seed or more, [0, 10, 20]");
  std::vector<int64_t> seeds;
  for (const auto& item : *list) {
    const auto seed = whole_number_of(item, where, 0);
    ARKS_CHECK(!contains(seeds, seed), where, ": ", seed, " is listed twice");
    seeds.push_back(seed);
  }
  return seeds;
}

std::vector<SweepGroup> read_groups(const toml::table& root, const FlagReader& reader, const StepDefaults& defaults) {
  const auto& file = reader.file;
  const auto* search = root.get("search");
  const bool at_top = root.contains("grid") || root.contains("random");
  ARKS_CHECK(search != nullptr || at_top, file, ": nothing to search; give [[search]], or [grid] or [random]");
  ARKS_CHECK(search == nullptr || !at_top, file,
             ": [grid] and [random] at the top are for a single group; with [[search]], write [search.grid]");
  if (search == nullptr) return {GroupReader(reader, {}, defaults, {"", ""}).read(root, "search")};
  const auto common = reader.read(table_of(root, "train", file), "[train]");
  const auto* list = search->as_array();
  ARKS_CHECK(list != nullptr && list->is_array_of_tables(), file,
             ": a group begins with [[search]], with two brackets");
  std::vector<SweepGroup> groups;
  for (const auto& item : *list) {
    const auto suffix = " of group " + std::to_string(groups.size() + 1);
    check_keys(*item.as_table(), {"name", "train", "grid", "random"}, file + ": [[search]]" + suffix);
    auto group = GroupReader(reader, common, defaults, {"search.", suffix})
                     .read(*item.as_table(), "search-" + std::to_string(groups.size() + 1));
    for (const auto& other : groups) {
      ARKS_CHECK(other.name != group.name, file, ": two groups are called '", group.name,
                 "'; give them names with name = \"...\"");
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

std::vector<std::string> SweepPlan::parameters() const {
  std::vector<std::string> all;
  for (const auto& group : groups) {
    for (const auto& name : group.parameters) {
      if (!contains(all, name)) all.push_back(name);
    }
  }
  return all;
}

int64_t SweepPlan::folds_of(const SweepPoint& point) const {
  const auto found = point.flags.find("folds");
  return found == point.flags.end() ? 1 : parse_whole_number(found->second, "folds");
}

std::string SweepPlan::repeats_of(const SweepPoint& point) const {
  const auto folds = folds_of(point);
  const auto of_seeds = seeds.size() > 1 ? count_of(static_cast<int64_t>(seeds.size()), "seeds") : "";
  if (folds < 2) return of_seeds;
  return of_seeds + (of_seeds.empty() ? "" : ", ") + count_of(folds, "folds") + (of_seeds.empty() ? "" : " each");
}

int64_t SweepPlan::validate_points() {
  if (on_test) return 0;
  int64_t changed = 0;
  for (auto& group : groups) {
    for (auto& point : group.points) {
      const auto given = point.flags.find("validation-fraction");
      ARKS_CHECK(given == point.flags.end() || parse_number(given->second, "validation-fraction") > 0,
                 "validation-fraction is 0, but a search chooses by the validation part; leave it out, or use --rule ",
                 "paper, which chooses by the test part");
      if (given != point.flags.end() || point.flags.count("folds") > 0) continue;
      point.flags["validation-fraction"] = kSearchValidation;
      ++changed;
    }
  }
  if (!evaluate) return changed;
  ARKS_CHECK(evaluate->count("test-data") == 0,
             "[evaluate] test-data: a search chooses by the validation part, and would choose by these rows; leave it ",
             "out, and test the point chosen with arks evaluate RUN --test-data");
  const auto split = evaluate->emplace("split", "validation").first->second;
  ARKS_CHECK(split == "validation", "[evaluate] split = \"", split,
             "\": a search chooses by the validation part; leave it out");
  return changed;
}

int64_t SweepPlan::num_points() const {
  size_t count = 0;
  for (const auto& group : groups) count += group.points.size();
  return static_cast<int64_t>(count);
}

SweepPlan read_sweep_plan(const std::string& toml, const std::string& file, const KnownFlags& known,
                          const StepDefaults& defaults) {
  return read_sweep_plan(parse_toml(toml, file), file, known, defaults);
}

SweepPlan read_sweep_plan(const toml::table& root, const std::string& file, const KnownFlags& known,
                          const StepDefaults& defaults) {
  check_keys(root, {"seeds", "train", "evaluate", "search", "grid", "random"}, file);
  SweepPlan plan;
  plan.defaults = defaults;
  plan.seeds = read_seeds(root, file);
  plan.groups = read_groups(root, {file, "train", known}, defaults);
  if (const auto* evaluate = table_of(root, "evaluate", file)) {
    plan.evaluate = FlagReader{file, "evaluate", known}.read(evaluate, "[evaluate]");
    // as the tool takes a drift without an attack
    if (plan.evaluate->count("shift") + plan.evaluate->count("shift-file") > 0)
      plan.evaluate->emplace("attack", "drift");
  }
  return plan;
}

void check_points(const SweepPlan& plan, const FlagCheck& check) {
  std::set<FlagValues> different;
  for (const auto& group : plan.groups) {
    for (const auto& point : group.points) different.insert(point.flags);
  }
  for (const auto& flags : different) check("train", flags);
  if (plan.evaluate) check("evaluate", *plan.evaluate);
}

}  // namespace arks::study
