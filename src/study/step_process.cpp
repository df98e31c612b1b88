#include "study/step_process.h"

#include "study/step_record.h"
#include "support/child_process.h"
#include "support/file.h"
#include "support/file_lock.h"
#include "support/stopwatch.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace arks::study {

namespace fs = std::filesystem;

namespace {

constexpr int kBadInput = 2;  // exit code of the tool
constexpr const char* kRoot = "root";
constexpr const char* kHere = "here";
constexpr std::chrono::milliseconds kBetweenTries(200);

/// The word with every "@{KEY}" replaced.
std::string resolved(const std::string& word, const StepStore& store, const std::string& own_key) {
  const auto place = [&](const std::string& key) {
    if (key == kRoot) return store.root();
    return key == kHere ? store.folder(own_key) : store.run_folder(key);
  };
  std::string text;
  size_t at = 0;
  for (;;) {
    const auto begin = word.find("@{", at), end = begin == std::string::npos ? begin : word.find('}', begin);
    if (end == std::string::npos) return text + word.substr(at);
    const auto key = word.substr(begin + 2, end - begin - 2);
    text += word.substr(at, begin - at) + place(key).string();
    at = end + 1;
  }
}

/// The tool says in one line what is wrong; notes and warnings are not that.
std::string complaint_in(const fs::path& log) {
  std::string found;
  for (const auto& line : split(read_file(log), '\n')) {
    const bool speaks = line.rfind("arks: ", 0) == 0;
    if (speaks && line.rfind("arks: note:", 0) != 0 && line.rfind("arks: warning:", 0) != 0) found = line.substr(6);
  }
  return found;
}

std::string why(const ChildEnd& end, const std::string& tool, const fs::path& log) {
  if (end.start_error != 0) return "cannot start " + tool + ": " + std::strerror(end.start_error);
  if (WIFSIGNALED(end.status)) {
    const int signal = WTERMSIG(end.status);
    return c10::str("ended by signal ", signal, " (", strsignal(signal), signal == SIGKILL ? "; out of memory?" : "",
                    ")");
  }
  const auto complaint = complaint_in(log);
  return complaint.empty() ? c10::str("ended with code ", WEXITSTATUS(end.status), "; see steps/",
                                      log.parent_path().filename().string(), "/log.txt")
                           : complaint;
}

class Process {
 public:
  Process(const StepStore& store, const Step& step, std::string key, const std::string& tool, const FileLock& lock,
          const std::function<bool()>& stop_requested)
      : store_(store), step_(step), key_(std::move(key)), tool_(tool), lock_(lock), stop_requested_(stop_requested) {}

  /// Empty when all went well, else why not.
  std::string run() {
    if (!is_training(step_)) {
      return spawn(command({"--json", store_.result_file(key_).string(), "--force", "--quiet"}));
    }
    const auto folder = store_.run_folder(key_);
    std::error_code ignored;
    if (fs::exists(folder / "checkpoint.pt", ignored)) {
      const auto reason = spawn({tool_, "train", "--resume", folder.string(), "--threads", "1"});
      if (!refused_) return reason;  // a checkpoint of another version, or damaged: from the beginning
    }
    return spawn(command({"--out", folder.string(), "--force"}));
  }

 private:
  std::vector<std::string> command(const std::vector<std::string>& outputs) const {
    std::vector<std::string> words{tool_};
    for (const auto& word : step_.command) words.push_back(resolved(word, store_, key_));
    // one thread each: sums depend on the number of threads, and results must not depend on what runs beside
    words.insert(words.end(), {"--threads", "1"});
    words.insert(words.end(), outputs.begin(), outputs.end());
    return words;
  }

  std::string spawn(const std::vector<std::string>& words) {
    const auto log = store_.folder(key_) / "log.txt";
    const auto end = run_child(words, store_.folder(key_) / "output.txt", log, stop_requested_, lock_.descriptor());
    refused_ = end.start_error == 0 && WIFEXITED(end.status) && WEXITSTATUS(end.status) == kBadInput;
    return end.succeeded() ? "" : why(end, tool_, log);
  }

  const StepStore& store_;
  const Step& step_;
  const std::string key_;
  const std::string& tool_;
  const FileLock& lock_;  // the child holds it too: it may outlive us by what it takes to save
  const std::function<bool()>& stop_requested_;
  bool refused_ = false;
};

std::string run_work(const StepStore& store, const Step& step, const std::string& key) {
  std::string result;
  try {
    result = step.work();
  } catch (const std::exception& error) {
    const std::string message = error.what();
    return message.substr(0, message.find('\n'));
  }
  write_file_atomically(store.result_file(key), result);
  return "";
}

}  // namespace

std::vector<std::string> needed_keys(const Step& step) {
  std::vector<std::string> keys;
  for (const auto& word : step.command) {
    for (size_t begin = word.find("@{"); begin != std::string::npos; begin = word.find("@{", begin + 2)) {
      const auto key = word.substr(begin + 2, word.find('}', begin) - begin - 2);
      if (key != kRoot && key != kHere) keys.push_back(key);
    }
  }
  return keys;
}

StepOutcome run_step(const StepStore& store, const Step& step, const std::string& tool,
                     const std::function<bool()>& stop_requested) {
  auto outcome = store.outcome(step);
  const auto folder = store.folder(outcome.key);
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw RunError("cannot create the folder " + folder.string() + ": " + failure.message());
  FileLock lock(folder / ".lock");
  while (!lock.held()) {  // another process is at it, or one that was killed has a child that still saves
    if (stop_requested && stop_requested()) return outcome;
    std::this_thread::sleep_for(kBetweenTries);
    lock.try_again();
  }
  outcome = store.outcome(step);  // another process may just have finished it
  if (outcome.done()) return outcome;
  const double before = outcome.seconds;
  ++outcome.attempts;
  outcome.reason.clear();
  outcome.state = StepState::kPartial;
  write_record(store, step, outcome);
  const Stopwatch watch;
  outcome.reason = step.command.empty() ? run_work(store, step, outcome.key)
                                        : Process(store, step, outcome.key, tool, lock, stop_requested).run();
  outcome.seconds = before + watch.seconds();
  if (outcome.reason.empty()) {
    outcome.state = StepState::kDone;
  } else if (stop_requested && stop_requested()) {
    outcome.reason.clear();  // it was told to end
  } else {
    outcome.state = StepState::kFailed;
  }
  write_record(store, step, outcome);
  return outcome;
}

}  // namespace arks::study
