// Steps: each is done once, whatever happens in between.
#include "study/step.h"
#include "support/file.h"
#include "support/file_lock.h"
#include "support/testing.h"
#include "support/text.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace arks::study {

namespace fs = std::filesystem;

class Steps : public ::testing::Test {
 protected:
  /// A function that counts how often it ran.
  Step counted(const std::string& name) {
    Step step;
    step.name = name;
    step.what = name;
    step.work = [this, name] {
      ++runs_;
      return "{\"of\": \"" + name + "\"}";
    };
    return step;
  }
  Step failing(const std::string& name) {
    auto step = counted(name);
    step.work = [this]() -> std::string {
      ++runs_;
      throw RunError("it diverged\nsecond line");
    };
    return step;
  }
  /// A stand-in for the tool: writes its words into its result; refuses "bad"; with "slow" it takes its time.
  RunOptions with_script() {
    std::ofstream script(folder_ / "tool");
    script
        << "#!/bin/sh\n"
           "echo \"$*\" >> "
        << (folder_ / "calls").string()
        << "\nfor word in \"$@\"; do\n"
           "  case \"$last\" in --json) file=$word ;; --out|--resume) run=$word ;; esac\n"
           "  last=$word\n"
           "  if [ \"$word\" = --bad ]; then echo 'arks: note: a note' >&2; echo 'arks: bad is bad' >&2; exit 2; fi\n"
           "done\n"
           "if [ -n \"$run\" ]; then\n"
           "  mkdir -p $run\n"
           "  if [ ! -e $run/checkpoint.pt ] && [ \"$2\" = --slow ]; then : > $run/checkpoint.pt; exec sleep 3600; fi\n"
           "  : > $run/checkpoint.pt; : > $run/model.pt; : > $run/config.toml\n"
           "  printf '{\"epoch\": 1}\\n{\"epoch\": 2}\\n' > $run/metrics.jsonl\n"
           "fi\n"
           "if [ -n \"$file\" ]; then echo \"{\\\"words\\\": \\\"$*\\\"}\" > $file; fi\n";
    script.close();
    fs::permissions(folder_ / "tool", fs::perms::owner_all);
    RunOptions options;
    options.tool = (folder_ / "tool").string();
    return options;
  }
  std::string calls() const { return read_file(folder_ / "calls"); }

  testing::TemporaryFolder folder_;
  StepStore store_{folder_ / "out"};
  std::atomic<int> runs_{0};
};

TEST_F(Steps, AKeyIsTheNameInPlainLettersAndWhatTheStepDoes) {
  Step step;
  step.name = "transfer PGD, ε 0.1";
  step.command = {"train", "--seed=0"};
  const auto key = key_of(step);
  EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"),
            std::string::npos)
      << key;
  auto other = step;
  other.command.back() = "--seed=1";
  EXPECT_NE(key_of(other), key);
  other = step;
  other.cost = 7;
  other.memory_bytes = 1e9;
  EXPECT_EQ(key_of(other), key) << "how long it takes says nothing of what it is";
}

TEST_F(Steps, WhatIsFinishedIsKept) {
  const std::vector<Step> steps{counted("a"), counted("b"), counted("a")};
  auto outcomes = run_steps(store_, steps, RunOptions());
  EXPECT_EQ(runs_, 2) << "the same step twice is one";
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_TRUE(outcomes[2].done());
  EXPECT_FALSE(outcomes[0].kept);
  EXPECT_EQ(store_.result(outcomes[1].key), "{\"of\": \"b\"}");
  outcomes = run_steps(store_, steps, RunOptions());
  EXPECT_EQ(runs_, 2);
  EXPECT_TRUE(outcomes[0].kept);
}

TEST_F(Steps, AResultThatIsGoneOrARecordThatIsBrokenIsComputedAgain) {
  const auto step = counted("a");
  run_steps(store_, {step}, RunOptions());
  fs::remove(store_.result_file(key_of(step)));
  EXPECT_EQ(store_.outcome(step).state, StepState::kMissing);
  run_steps(store_, {step}, RunOptions());
  EXPECT_EQ(runs_, 2);
  write_file_atomically(store_.folder(key_of(step)) / "step.json", "{\"state\": \"do");
  EXPECT_EQ(store_.outcome(step).state, StepState::kPartial);
  run_steps(store_, {step}, RunOptions());
  EXPECT_EQ(runs_, 3);
}

TEST_F(Steps, AFailureHasItsReasonStopsNoOtherAndIsTriedAgain) {
  const auto outcomes = run_steps(store_, {failing("a"), counted("b")}, RunOptions());
  EXPECT_EQ(outcomes[0].state, StepState::kFailed);
  EXPECT_EQ(outcomes[0].reason, "it diverged");
  EXPECT_TRUE(outcomes[1].done());
  EXPECT_EQ(store_.outcome(failing("a")).reason, "it diverged") << "it is written down";
  const auto again = run_steps(store_, {counted("a"), counted("b")}, RunOptions());
  EXPECT_TRUE(again[0].done());
  EXPECT_EQ(again[0].attempts, 2);
  EXPECT_EQ(runs_, 3);
}

TEST_F(Steps, ACommandRunsAfterTheModelsThatItNames) {
  Step model, attack;
  model.name = "model";
  model.command = {"train", "--seed=0"};
  attack.name = "attack";
  attack.command = {"evaluate", "@{" + key_of(model) + "}", "--grid=@{here}/g.svg,@{root}/x"};
  attack.cost = 100;  // would come first
  auto options = with_script();
  options.jobs = 2;
  const auto outcomes = run_steps(store_, {attack, model}, options);
  ASSERT_TRUE(outcomes[0].done()) << outcomes[0].reason;
  const auto lines = split(calls(), '\n');
  EXPECT_EQ(lines[0].rfind("train --seed=0 --threads 1 --out ", 0), 0U) << lines[0];
  const auto words = store_.result(outcomes[0].key);
  EXPECT_NE(words.find("evaluate " + store_.run_folder(key_of(model)).string() + " --grid="), std::string::npos)
      << words;
  EXPECT_NE(words.find("=" + store_.folder(key_of(attack)).string() + "/g.svg," + store_.root().string() + "/x"),
            std::string::npos)
      << words;
  EXPECT_EQ(store_.result(outcomes[1].key), "{\"epoch\": 2}") << "of training the last epoch";
}

TEST_F(Steps, WhatNeedsAFailedModelFailsWithTheReasonOfThat) {
  Step model, attack;
  model.name = "model";
  model.command = {"train", "--bad"};
  attack.name = "attack";
  attack.command = {"evaluate", "@{" + key_of(model) + "}"};
  const auto outcomes = run_steps(store_, {model, attack}, with_script());
  EXPECT_EQ(outcomes[0].reason, "bad is bad") << "the complaint, not the note";
  EXPECT_EQ(outcomes[1].state, StepState::kFailed);
  EXPECT_EQ(outcomes[1].reason, "model, which it needs, failed: bad is bad");
  EXPECT_EQ(outcomes[1].attempts, 0);
}

TEST_F(Steps, InterruptedTrainingGoesOnFromItsCheckpoint) {
  Step model;
  model.name = "model";
  model.command = {"train", "--slow"};
  auto options = with_script();
  const auto checkpoint = store_.run_folder(key_of(model)) / "checkpoint.pt";
  options.stop_requested = [&] { return fs::exists(checkpoint); };
  testing::expect_run_error([&] { run_steps(store_, {model}, options); }, "interrupted");
  EXPECT_EQ(store_.outcome(model).state, StepState::kPartial);
  options.stop_requested = {};
  EXPECT_TRUE(run_steps(store_, {model}, options)[0].done());
  EXPECT_NE(calls().find("\ntrain --resume " + store_.run_folder(key_of(model)).string()), std::string::npos)
      << calls();
  EXPECT_EQ(store_.outcome(model).attempts, 2);
}

TEST_F(Steps, WhatAnotherProcessIsAtIsWaitedFor) {
  const auto step = counted("a");
  fs::create_directories(store_.folder(key_of(step)));
  auto other = std::make_unique<FileLock>(store_.folder(key_of(step)) / ".lock");
  ASSERT_TRUE(other->held());
  RunOptions stopped;
  int asked = 0;
  stopped.stop_requested = [&] { return ++asked > 3; };
  testing::expect_run_error([&] { run_steps(store_, {step}, stopped); }, "interrupted");
  EXPECT_EQ(runs_, 0);
  std::thread lets_go([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    other.reset();
  });
  EXPECT_TRUE(run_steps(store_, {step}, RunOptions())[0].done());
  lets_go.join();
  EXPECT_EQ(runs_, 1);
}

TEST_F(Steps, AChildHoldsTheLockOfItsStep) {
  Step model;
  model.name = "model";
  model.command = {"train", "--slow"};
  auto options = with_script();
  const auto folder = store_.folder(key_of(model));
  options.stop_requested = [&] { return fs::exists(folder / "run/checkpoint.pt"); };
  testing::expect_run_error([&] { run_steps(store_, {model}, options); }, "interrupted");
  EXPECT_TRUE(FileLock(folder / ".lock").held()) << "the child has ended";
  const auto left = (folder_ / "left").string();
  std::ofstream(folder_ / "tool") << "#!/bin/sh\nsleep 3600 &\necho $! > '" << left << "'\nexit 1\n";
  options.stop_requested = {};
  run_steps(store_, {model}, options);
  EXPECT_FALSE(FileLock(folder / ".lock").held()) << "something of the child is still there";
  ::kill(std::stoi(read_file(left)), SIGKILL);
}

TEST_F(Steps, OtherDataAreAnotherStep) {
  Step step;
  step.name = "model";
  step.command = {"train"};
  const auto key = key_of(step);
  step.what = "celeba: 574 images";
  EXPECT_NE(key_of(step), key);
}

TEST_F(Steps, StepsThatDoNotFitIntoMemoryTogetherWaitForEachOther) {
  std::atomic<int> now{0}, most{0};
  int patience = 6000;  // for a machine that is busy with other things
  const auto step = [&](const std::string& name, double memory) {
    auto made = counted(name);
    made.memory_bytes = memory;
    made.work = [&] {
      ++now;
      for (int tries = 0; tries < patience && most < 2; ++tries) {
        if (now == 2) most = 2;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      --now;
      return std::string("{}");
    };
    return made;
  };
  RunOptions options;
  options.jobs = 2;
  run_steps(store_, {step("a", 0), step("b", 0)}, options);
  EXPECT_EQ(most, 2);
  most = 0;
  patience = 30;
  run_steps(store_, {step("c", 1e18), step("d", 1e18)}, options);
  EXPECT_EQ(most, 0) << "never two at a time";
}

/// Files cannot grow beyond some size: what a full disk looks like to a program.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(Steps, WhenTheDiskIsFullNothingFinishedIsLost) {
  auto large = counted("large");
  large.work = [this] {
    ++runs_;
    return "\"" + std::string(100000, 'x') + "\"";
  };
  large.cost = 0.5;  // after the small one
  {
    const SmallDisk disk(20000);
    testing::expect_run_error([&] { run_steps(store_, {counted("small"), large}, RunOptions()); }, "File too large");
  }
  EXPECT_TRUE(store_.outcome(counted("small")).done());
  EXPECT_FALSE(store_.outcome(large).done());
  EXPECT_TRUE(run_steps(store_, {counted("small"), large}, RunOptions())[1].done());
  EXPECT_EQ(runs_, 3) << "the small one ran once";
}

TEST_F(Steps, AStoreTakesWhatAnotherHasFinished) {
  Step model;
  model.name = "model";
  model.command = {"train", "--seed=0"};
  const StepStore other(folder_ / "other");
  run_steps(other, {model, counted("a")}, with_script());
  EXPECT_EQ(store_.take_from(other, {model, counted("a"), counted("b")}), 2);
  EXPECT_EQ(store_.take_from(other, {model, counted("a"), counted("b")}), 0) << "there already";
  EXPECT_TRUE(store_.outcome(model).done());
  EXPECT_EQ(store_.result(key_of(model)), "{\"epoch\": 2}");
}

}  // namespace arks::study
