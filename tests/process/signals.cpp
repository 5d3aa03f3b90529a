// SPDX-License-Identifier: Apache-2.0
//
// Sends signals to every command at many moments. Its answer must be whole or absent, and its exit
// status must say which. By default a command gets two of the requests, in turn. TAPER_TRIALS sets the
// number of moments per command and request, for all requests.
#include <process/commands.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace taper;
using namespace taper::test;

/// One request: signals, each some milliseconds after the one before.
struct Request {
  std::string name;
  std::vector<std::pair<int, double>> signals;
};

std::vector<Request> const single_signals{
    {"SIGINT", {{SIGINT, 0}}}, {"SIGTERM", {{SIGTERM, 0}}}, {"SIGHUP", {{SIGHUP, 0}}}};
std::vector<Request> const several_signals{
    {"SIGTERM twice, as of timeout", {{SIGTERM, 0}, {SIGTERM, 0.5}}},
    {"SIGTERM and SIGINT four times", {{SIGTERM, 0}, {SIGINT, 50}, {SIGTERM, 50}, {SIGINT, 50}}}};

/// How often each request is tried; 0: the default.
int trials() {
  auto const* text = std::getenv("TAPER_TRIALS");
  return text == nullptr ? 0 : std::atoi(text);
}

/// The requests for the command of this number.
std::vector<Request> requests(std::size_t number) {
  if (trials() == 0) {
    return {single_signals[number % single_signals.size()],
            several_signals[number % several_signals.size()]};
  }
  auto all = single_signals;
  all.insert(all.end(), several_signals.begin(), several_signals.end());
  return all;
}

/// The moments of the signals, in seconds after the start. By default one in the first second.
std::vector<double> moments(double seconds) {
  if (trials() == 0) {
    return {std::min(0.5 * seconds, 1.0)};
  }
  std::vector<double> all;
  for (int trial = 0; trial < trials(); ++trial) {
    all.push_back(seconds * (trial + 0.5) / trials());
  }
  return all;
}

std::string answer_of(Command const& command, Folder const& outputs, Ended const& ended) {
  return command.output.empty() ? ended.out : read_file(outputs / command.output);
}

/// Checks what an interrupted command has left.
void check_end(Command const& command, Request const& request, Folder const& outputs,
               Ended const& ended, std::string const& reference) {
  SCOPED_TRACE(command.name + ", " + request.name + ": status " + std::to_string(ended.status) +
               ", stderr: " + ended.err);
  ASSERT_TRUE(ended.in_time) << "it hangs";
  auto const answer = answer_of(command, outputs, ended);
  auto const by_signal = ended.status == 128 + request.signals.front().first;
  if (by_signal) {
    EXPECT_TRUE(answer.empty() || command.searches) << answer;
    if (!ended.err.empty()) {  // the very first instructions do not handle signals
      EXPECT_TRUE(ended.err.find("taper: interrupted; nothing was written\n") != std::string::npos);
    }
  } else {
    EXPECT_TRUE(ended.status == 0 || (ended.status == 1 && command.searches));
    EXPECT_TRUE(
        command.is_whole(answer, reference) ||
        (answer.empty() && ended.err.find("before the first measurement") != std::string::npos))
        << answer;
  }
  for (auto const& name : files_below(outputs.path())) {
    EXPECT_FALSE(name.ends_with(".tmp")) << name;
  }
}

TEST(Signals, LeaveAWholeAnswerOrNone) {
  Commands const commands(1);
  double slowest = 0;
  std::size_t number = 0;
  for (auto const& command : commands.all()) {
    commands.empty_outputs();
    auto const undisturbed = run(command.arguments);
    ASSERT_LT(undisturbed.status, 2) << command.name << ": " << undisturbed.err;
    auto const reference = answer_of(command, commands.outputs, undisturbed);
    ASSERT_FALSE(reference.empty()) << command.name;
    int stopped = 0;
    for (auto const& request : requests(number++)) {
      for (auto const moment : moments(undisturbed.seconds)) {
        commands.empty_outputs();
        Child child(command.arguments);
        sleep_seconds(moment);
        for (auto const& [signal, after_ms] : request.signals) {
          sleep_seconds(after_ms / 1000);
          child.signal(signal);
        }
        // An idle machine needs some hundredths of a second; the limit allows for a crowded one.
        auto const ended = child.wait(10);
        check_end(command, request, commands.outputs, ended, reference);
        slowest = std::max(slowest, ended.seconds);
        stopped += ended.status == 0 ? 0 : 1;
      }
    }
    RecordProperty(command.name, stopped);
  }
  std::printf("slowest end after a signal: %.2f s\n", slowest);
}

/// A cover whose search takes minutes.
class LongSearch {
 public:
  LongSearch() {
    EXPECT_EQ(
        run({"generate", "graph", "random_regular", "600", "--degree", "6", "-o", graph()}).status,
        0);
  }
  std::string graph() const { return folder_ / "graph.gr"; }
  std::string cover() const { return folder_ / "cover"; }

 private:
  Folder folder_;
};

TEST(Signals, WithinASecondAreOneRequest) {
  LongSearch const search;
  for (double const gap : {0.0, 0.0005, 0.3, 0.8}) {
    Child child({"cover", search.graph(), "-o", search.cover()});
    sleep_seconds(1);
    child.signal(SIGTERM);
    sleep_seconds(gap);
    child.signal(SIGTERM);
    auto const ended = child.wait(10);
    EXPECT_EQ(ended.status, 1) << ended.err;
    EXPECT_EQ(run({"verify", "cover", search.graph(), search.cover()}).status, 0);
    std::filesystem::remove(search.cover());
  }
}

long lines_of(std::string const& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Signals, SaveTheRepetitionsBeforeALongOne) {
  Folder const folder;
  std::vector<std::string> const tree{"tree", "T1", "--max-depth", "11", "--schedule", "serial"};
  write_file(folder / "c.yaml",
             "algorithm: tree_search\nname: c\noutput: " + (folder / "results") +
                 "\ntrees: [{name: T, tree: T1, max_depth: 11}]\nengines: [serial]\n"
                 "repetitions: 3\nwarmup: 0\n");
  double const repetition = run(tree).seconds;
  Child child({"run", folder / "c.yaml"});
  sleep_seconds(1.4 * repetition);
  child.signal(SIGTERM);
  auto const ended = child.wait();
  EXPECT_EQ(ended.status, 1) << ended.err;
  // The machine may be faster or slower than in the first run.
  auto const saved = lines_of(read_file(folder / "results/results.csv")) - 1;
  EXPECT_LT(saved, 3);
  EXPECT_LT(ended.seconds, std::max(2.0, 0.9 * repetition)) << "it did not give up the repetition";
  if (saved > 0) {
    EXPECT_TRUE(read_file(folder / "results/results.json").find("\"interrupted\":true") !=
                std::string::npos);
    EXPECT_EQ(run({"run", folder / "c.yaml", "--resume"}).status, 0);
    EXPECT_EQ(lines_of(read_file(folder / "results/results.csv")), 4);
  } else {
    EXPECT_TRUE(ended.err.find("before the first measurement") != std::string::npos) << ended.err;
  }
}

TEST(Signals, GiveACoverDuringTheReductionsOfALargeGraph) {
  Folder const folder;
  ASSERT_EQ(run({"generate", "graph", "gnp", "400000", "--degree", "3", "-o", folder / "g"}).status,
            0);
  for (auto const* mode : {"taper", "published"}) {
    for (double const moment : {0.3, 0.6, 0.9}) {
      Child child({"cover", folder / "g", "--mode", mode, "-o", folder / "cover"});
      sleep_seconds(moment);
      child.signal(SIGTERM);
      auto const ended = child.wait(30);
      EXPECT_TRUE(ended.in_time);
      if (ended.status == 128 + SIGTERM) {
        EXPECT_FALSE(std::filesystem::exists(folder / "cover"));
      } else {
        EXPECT_LT(ended.status, 2) << ended.err;
        EXPECT_EQ(run({"verify", "cover", folder / "g", folder / "cover"}).status, 0);
      }
      std::filesystem::remove(folder / "cover");
    }
  }
}

/// A full pipe without a reader: what writes to it waits.
class FullPipe {
 public:
  FullPipe() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    std::string const block(1 << 16, ' ');
    while (write(ends_[1], block.data(), block.size()) > 0) {
    }
    fcntl(ends_[1], F_SETFL, 0);
  }
  ~FullPipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  FullPipe(FullPipe const&) = delete;
  FullPipe& operator=(FullPipe const&) = delete;

  int input() const { return ends_[1]; }

 private:
  int ends_[2] = {-1, -1};
};

TEST(Signals, DoNotLetAnUnreadOutputHang) {
  FullPipe const pipe;
  Child child({"generate", "random", "5"}, [&] { dup2(pipe.input(), STDOUT_FILENO); });
  sleep_seconds(0.5);
  child.signal(SIGTERM);
  auto const ended = child.wait(10);
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.status, 128 + SIGTERM);
  EXPECT_EQ(ended.err, "taper: interrupted; the output is not read\n");
}

/// A cover whose summary waits for a reader, so that the program does not end.
class StuckCover {
 public:
  StuckCover() { sleep_seconds(1); }  // the time limit has ended the search
  Child& operator*() { return child_; }

 private:
  FullPipe const pipe_;
  LongSearch const search_;
  Child child_{{"cover", search_.graph(), "--time-limit", "0.1"},
               [this] { dup2(pipe_.input(), STDERR_FILENO); }};
};

TEST(Signals, AThirdOneAfterASecondEndsAtOnce) {
  StuckCover quick;
  StuckCover slow;
  (*quick).signal(SIGINT);
  (*slow).signal(SIGINT);
  sleep_seconds(0.1);  // of two pending signals of one kind, the system delivers one
  (*quick).signal(SIGINT);
  sleep_seconds(1.2);
  (*slow).signal(SIGINT);
  (*quick).signal(SIGTERM);
  auto const ended = (*quick).wait(10);
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.status, 128 + SIGTERM);
  sleep_seconds(0.3);
  EXPECT_TRUE((*slow).runs()) << "a second signal ended it";
  (*slow).signal(SIGTERM);
  EXPECT_EQ((*slow).wait(10).status, 128 + SIGTERM);
}

TEST(Signals, NohupKeepsAClosedTerminalFromEndingACommand) {
  LongSearch const search;
  Child child({"cover", search.graph(), "--time-limit", "1.5", "-o", search.cover()},
              [] { std::signal(SIGHUP, SIG_IGN); });
  sleep_seconds(0.7);
  child.signal(SIGHUP);
  auto const ended = child.wait(30);
  EXPECT_EQ(ended.status, 1);
  EXPECT_GT(ended.seconds, 0.4);  // the time limit ended it, not the signal
}

}  // namespace
