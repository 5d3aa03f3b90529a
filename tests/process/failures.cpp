// SPDX-License-Identifier: Apache-2.0
//
// Lets each allocation, write and kernel launch of every command fail once, with faults/faults.cpp.
// Afterwards there is one clear line, exit status 2 and no file; or the command did not need it.
// TAPER_STRIDE=1 tries every operation; by default some of each command. TAPER_FIRST=N begins at the
// N-th: the first thousands of allocations set up the command line, and are those of all commands.
#include <process/commands.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::test;

std::string variable(char const* name, std::string const& fallback) {
  auto const* text = std::getenv(name);
  return text == nullptr ? fallback : text;
}

/// Runs the command; the operation with this number fails, from 1. 0: only counts.
Ended run_with_fault(Command const& command, std::string const& kind, long number,
                     std::string const& count_file) {
  auto const library = variable("TAPER_FAULTS", "");
  return run(command.arguments, [&] {
    setenv("TAPER_FAULT", kind.c_str(), 1);
    setenv("TAPER_FAULT_AT", std::to_string(number).c_str(), 1);
    if (number == 0) {
      setenv("TAPER_FAULT_COUNT", count_file.c_str(), 1);
    }
    setenv("LD_PRELOAD", library.c_str(), 1);
    if (kind == "kokkos_memory" || kind == "kernel") {
      setenv("KOKKOS_TOOLS_LIBS", library.c_str(), 1);
    }
    // One thread, so that each run has the same operations in the same order.
    setenv("OMP_NUM_THREADS", "1", 1);
  });
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text.substr(text.rfind('\n') + 1);
}

std::string answer_of(Command const& command, Folder const& outputs, Ended const& ended) {
  return command.output.empty() ? ended.out : read_file(outputs / command.output);
}

/// Empty if the command ended as it should: with its answer, or with an error and without a file.
std::string fault_in(Command const& command, Folder const& outputs, Ended const& ended,
                     Ended const& undisturbed, std::string const& reference) {
  auto const answer = answer_of(command, outputs, ended);
  for (auto const& name : files_below(outputs.path())) {
    if (name.ends_with(".tmp")) {
      return "it leaves " + name;
    }
  }
  if (!ended.in_time) {
    return "it hangs";
  }
  if (ended.status == undisturbed.status) {
    return command.is_whole(answer, reference) ? "" : "success without the whole answer";
  }
  if (ended.status != 2) {
    return "exit status " + std::to_string(ended.status) + ": " + ended.err;
  }
  auto const line = last_line(ended.err);
  if (!line.starts_with("taper") && !line.starts_with("libgomp")) {
    return "no clear line: " + ended.err;
  }
  // The error may come after the answer. An experiment keeps the cases that it has finished.
  bool const whole = answer.empty() || command.is_whole(answer, reference);
  return whole || command.searches || command.output.empty() ? "" : "it leaves a part of its file";
}

/// All numbers if `stride` is 1. Otherwise the first and the last ones, and some between.
std::vector<long> numbers(long count, long stride) {
  std::vector<long> chosen;
  long const ends = stride == 1 ? count : 12;
  for (long number = std::stol(variable("TAPER_FIRST", "1")); number <= count; ++number) {
    if (number <= ends || number > count - ends || number % stride == 0) {
      chosen.push_back(number);
    }
  }
  return chosen;
}

/// Lets operations of this kind fail in every command.
void try_faults(std::string const& kind, long default_stride) {
  Commands const commands(0);
  Folder const counts;
  auto const stride = std::stol(variable("TAPER_STRIDE", std::to_string(default_stride)));
  auto const only = variable("TAPER_ONLY", "");
  long tried = 0;
  long tolerated = 0;
  for (auto const& command : commands.all()) {
    // `tune` takes seconds, and measures how long operations take. The help text is written by
    // string streams of CLI11, which swallow the exception.
    if (command.name == "tune" || command.name == "help" ||
        (!only.empty() && command.name != only)) {
      continue;
    }
    commands.empty_outputs();
    auto const undisturbed = run_with_fault(command, kind, 0, counts / "count");
    ASSERT_LT(undisturbed.status, 2) << command.name << ": " << undisturbed.err;
    auto const reference = answer_of(command, commands.outputs, undisturbed);
    auto const count = std::stol("0" + read_file(counts / "count"));
    for (auto const number : numbers(count, stride)) {
      commands.empty_outputs();
      auto const ended = run_with_fault(command, kind, number, "");
      auto const fault = fault_in(command, commands.outputs, ended, undisturbed, reference);
      EXPECT_EQ(fault, "") << command.name << ", " << kind << " " << number << " of " << count;
      ++tried;
      tolerated += ended.status == undisturbed.status ? 1 : 0;
    }
  }
  std::printf("%s: %ld failures injected, %ld of them tolerated\n", kind.c_str(), tried, tolerated);
  EXPECT_GT(tried, tolerated);
}

TEST(Failures, OfAllocationsGiveOneLineAndNoFile) {
  try_faults("memory", 1009);
}
TEST(Failures, OfWritesGiveOneLineAndNoFile) {
  try_faults("write", 1);
}
TEST(Failures, OfAllocationsOfKokkosGiveOneLineAndNoFile) {
  try_faults("kokkos_memory", 7);
}
TEST(Failures, OfKernelLaunchesGiveOneLineAndNoFile) {
  try_faults("kernel", 7);
}

}  // namespace
