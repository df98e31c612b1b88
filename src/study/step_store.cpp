#include "study/step.h"
#include "study/step_record.h"
#include "support/check_sum.h"
#include "support/file.h"
#include "support/file_lock.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/train/epoch_metrics.h>
#include <arks/version.h>
#include <fmt/format.h>

#include <cctype>

namespace arks::study {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kRecord = "step.json";
constexpr const char* kLock = ".lock";
constexpr const char* kModel = "model.pt";
constexpr const char* kMetrics = "metrics.jsonl";

/// Letters, digits, dots and dashes; anything else becomes a dash, so that a name is one word of any shell.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    if (plain) name += c;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  return name.substr(0, 120);
}

/// What decides which epoch was taken; lines may be from other versions.
EpochMetrics validation_in(const std::string& line) {
  const auto json = parse_json(line);
  const auto number = [&](const char* key) {
    const bool there = json.contains(key) && json.at(key).is_number();
    return there ? std::optional(json.at(key).get<double>()) : std::nullopt;
  };
  EpochMetrics metrics;
  metrics.validation_error = number("validation_error");
  metrics.validation_loss = number("validation_loss");
  return metrics;
}

bool has_result(const StepStore& store, const Step& step, const std::string& key) {
  std::error_code ignored;
  if (!is_training(step)) return fs::exists(store.result_file(key), ignored);
  return fs::exists(store.run_folder(key) / kModel, ignored) && fs::exists(store.run_folder(key) / kMetrics, ignored);
}

StepState parse_state(const std::string& text) {
  if (text == "done") return StepState::kDone;
  return text == "failed" ? StepState::kFailed : StepState::kPartial;
}

}  // namespace

bool is_training(const Step& step) {
  return !step.command.empty() && step.command.front() == "train";
}

std::string key_of(const Step& step) {
  const auto identity = join(step.command, "\n") + (step.what.empty() ? "" : "\n" + step.what);
  return fmt::format("{}-{:012x}", file_name(step.name), text_check_sum(identity) & 0xffffffffffffU);
}

std::string describe(StepState state) {
  switch (state) {
    case StepState::kMissing:
      return "not run";
    case StepState::kPartial:
      return "begun";
    case StepState::kFailed:
      return "failed";
    case StepState::kDone:
      return "done";
  }
  return "";
}

void write_record(const StepStore& store, const Step& step, const StepOutcome& outcome) {
  Json record;
  record["name"] = step.name;
  if (!step.command.empty()) record["command"] = step.command;
  if (!step.what.empty()) record["what"] = step.what;
  record["arks"] = kVersion;
  record["state"] = describe(outcome.state);
  if (!outcome.reason.empty()) record["reason"] = outcome.reason;
  record["seconds"] = outcome.seconds;
  record["attempts"] = outcome.attempts;
  write_file_atomically(store.folder(outcome.key) / kRecord, json_text(record));
}

StepOutcome StepStore::outcome(const Step& step) const {
  StepOutcome found;
  found.key = key_of(step);
  const auto file = folder(found.key) / kRecord;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return found;
  try {
    const auto record = parse_json(read_file(file));
    found.state = parse_state(record.at("state").get<std::string>());
    found.reason = record.value("reason", "");
    found.seconds = record.value("seconds", 0.0);
    found.attempts = record.value("attempts", int64_t{0});
  } catch (const Json::exception&) {
    found.state = StepState::kPartial;  // a file from elsewhere; what it stands for is done again
  }
  if (found.done() && !has_result(*this, step, found.key)) found.state = StepState::kMissing;
  return found;
}

std::string StepStore::result(const std::string& key) const {
  std::error_code ignored;
  const auto metrics = run_folder(key) / kMetrics;
  if (!fs::exists(metrics, ignored)) return read_file(result_file(key));
  std::vector<std::string> lines;
  std::vector<EpochMetrics> epochs;
  for (auto& line : split(read_file(metrics), '\n')) {
    if (line.empty()) continue;
    epochs.push_back(validation_in(line));
    lines.push_back(std::move(line));
  }
  return epochs.empty() ? "" : lines[taken_epoch(epochs)];
}

int64_t StepStore::take_from(const StepStore& other, const std::vector<Step>& steps) const {
  int64_t taken = 0;
  for (const auto& step : steps) {
    const auto theirs = other.outcome(step);
    if (!theirs.done() || outcome(step).done()) continue;
    std::error_code failure;
    const auto target = folder(theirs.key);
    fs::create_directories(target, failure);
    const FileLock lock(target / kLock);
    if (!lock.held() || outcome(step).done()) continue;  // another process is at it, or was
    fs::remove_all(run_folder(theirs.key), failure);
    const auto copy = [&](const fs::path& from, const fs::path& to) {
      fs::create_directories(to.parent_path(), failure);
      if (!failure) fs::copy_file(from, to, fs::copy_options::overwrite_existing, failure);
      if (failure) throw RunError("cannot copy " + from.string() + " to " + to.string() + ": " + failure.message());
    };
    if (is_training(step)) {
      for (const char* file : {kModel, kMetrics, "config.toml", "checkpoint.pt", "parts.json"}) {
        const auto from = other.run_folder(theirs.key) / file;
        if (fs::exists(from, failure)) copy(from, run_folder(theirs.key) / file);
      }
    } else {
      copy(other.result_file(theirs.key), result_file(theirs.key));
    }
    write_record(*this, step, theirs);
    ++taken;
  }
  return taken;
}

}  // namespace arks::study
