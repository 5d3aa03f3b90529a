// SPDX-License-Identifier: Apache-2.0
//
// Closed pipes, descriptors and terminals, full disks, limits, names, and many processes at once.
#include <process/commands.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::test;

/// Makes `descriptor` a pipe whose reader has ended.
void break_pipe(int descriptor) {
  int ends[2];
  if (pipe(ends) == 0) {
    dup2(ends[1], descriptor);
    close(ends[0]);
    close(ends[1]);
  }
}

TEST(Ends, AReaderThatStopsEndsACommandBySigpipe) {
  auto const ended = run({"--help"}, [] { break_pipe(STDOUT_FILENO); });
  EXPECT_EQ(ended.status, 128 + SIGPIPE);
  EXPECT_EQ(ended.err, "");
}

TEST(Ends, WithoutSigpipeAReaderThatStopsIsAnError) {
  auto const ended = run({"generate", "random", "3"}, [] {
    std::signal(SIGPIPE, SIG_IGN);
    break_pipe(STDOUT_FILENO);
  });
  EXPECT_EQ(ended.status, 2);
  EXPECT_TRUE(ended.err.starts_with("taper generate: cannot write to the standard output"))
      << ended.err;
}

TEST(Ends, TheHelpOfKokkosEndsTheProgramWithSuccess) {
  auto const ended = run({"info", "--kokkos-help"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("--kokkos-num-threads"), std::string::npos) << ended.out;
}

TEST(Ends, LostMessagesDoNotLoseTheAnswer) {
  Commands const commands(0);
  for (auto const& command : commands.all()) {
    if (command.output.empty() || command.name == "tune") {
      continue;
    }
    run(command.arguments);
    auto const reference = read_file(commands.outputs / command.output);
    for (auto const& setup :
         std::vector<Child::Setup>{[] { break_pipe(STDERR_FILENO); }, [] { close(STDERR_FILENO); },
                                   [] { dup2(open("/dev/full", O_WRONLY), STDERR_FILENO); },
                                   [] {
                                     for (int const descriptor : {STDIN_FILENO, STDERR_FILENO}) {
                                       close(descriptor);
                                     }
                                   }}) {
      commands.empty_outputs();
      auto const ended = run(command.arguments, setup);
      EXPECT_EQ(ended.status, 0) << command.name << ": " << ended.err;
      EXPECT_TRUE(command.is_whole(read_file(commands.outputs / command.output), reference))
          << command.name;
    }
    // Without a standard output, its line is lost, which is an error; but the file is whole.
    commands.empty_outputs();
    run(command.arguments, [] {
      for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        close(descriptor);
      }
    });
    EXPECT_TRUE(command.is_whole(read_file(commands.outputs / command.output), reference))
        << command.name;
  }
}

TEST(Ends, AnOutputThatCannotBeWrittenIsAnError) {
  Commands const commands(0);
  for (auto const& command : commands.all()) {
    if (command.output.empty()) {
      auto const full =
          run(command.arguments, [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); });
      EXPECT_EQ(full.status, 2) << command.name;
      EXPECT_TRUE(full.err.find("taper") != std::string::npos) << full.err;
      auto const closed = run(command.arguments, [] { close(STDOUT_FILENO); });
      EXPECT_EQ(closed.status, 2) << command.name << closed.err;
    } else if (command.name != "tune") {
      commands.empty_outputs();
      auto const limited = run(command.arguments, [] {
        rlimit const bytes{10, 10};
        setrlimit(RLIMIT_FSIZE, &bytes);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
      });
      EXPECT_EQ(limited.status, 2) << command.name;
      EXPECT_TRUE(files_below(commands.outputs.path()).empty()) << command.name;
    }
  }
}

TEST(Ends, AFolderThatCannotBeWrittenKeepsItsFiles) {
  Folder const folder;
  write_file(folder / "answer", "old");
  chmod(folder.path().c_str(), 0555);
  auto const ended = run({"generate", "random", "3", "-o", folder / "answer"}, [] {
    [[maybe_unused]] auto const result = setuid(65534);  // to root, every folder is writable
  });
  chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(ended.status, 2);
  EXPECT_TRUE(ended.err.find("answer: cannot be written: Permission denied\n") != std::string::npos)
      << ended.err;
  EXPECT_EQ(read_file(folder / "answer"), "old");
}

TEST(Ends, NamesMayHaveCombiningCharactersAndTheGreatestLength) {
  Folder const folder;
  for (std::string const& name :
       {std::string("e\u0301tude \u0928\u093f"), std::string(251, 'a') + ".txt"}) {
    EXPECT_EQ(run({"generate", "random", "3", "-o", folder / name}).status, 0);
    auto const ended = run({"match", folder / name, "-o", folder / (name.substr(0, 200) + ".out")});
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
  auto const missing = run({"match", folder / "e\u0301tude"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_TRUE(missing.err.find("e\u0301tude: cannot be opened") != std::string::npos)
      << missing.err;
  EXPECT_EQ(files_below(folder.path()).size(), 4U);
}

TEST(Ends, ManyProcessesShareAFolder) {
  Folder const folder;
  constexpr int processes = 32;
  auto const finish = [](std::vector<std::unique_ptr<Child>>& children) {
    std::vector<Ended> ended;
    for (auto& child : children) {
      ended.push_back(child->wait());
    }
    return ended;
  };
  // Each writes a file of its own, and all write one.
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < processes; ++i) {
    auto const name = i % 2 == 0 ? "same" : "own" + std::to_string(i);
    children.push_back(std::make_unique<Child>(
        std::vector<std::string>{"generate", "random", "50", "-o", folder / name}));
  }
  for (auto const& ended : finish(children)) {
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
  auto const reference = run({"generate", "random", "50"}).out;
  auto const names = files_below(folder.path());
  EXPECT_EQ(names.size(), processes / 2 + 1U);
  for (auto const& name : names) {
    EXPECT_EQ(read_file(folder / name), reference) << name;
  }
  // One of the experiments runs; the others find that its folder is in use.
  write_file(folder / "c.yaml", "name: c\noutput: " + (folder / "results") +
                                    "\nworkloads: [uniform]\nsizes: [300]\nengines: [GS-Seq-CPU]\n"
                                    "repetitions: 9\nwarmup: 0\n");
  children.clear();
  for (int i = 0; i < processes; ++i) {
    children.push_back(std::make_unique<Child>(std::vector<std::string>{"run", folder / "c.yaml"}));
  }
  int succeeded = 0;
  for (auto const& ended : finish(children)) {
    succeeded += ended.status == 0 ? 1 : 0;
    if (ended.status != 0) {
      EXPECT_EQ(ended.status, 2) << ended.err;
      EXPECT_TRUE(ended.err.find("another `taper run` writes its results there") !=
                  std::string::npos)
          << ended.err;
    }
  }
  EXPECT_GE(succeeded, 1);
  EXPECT_TRUE(read_file(folder / "results/results.json").ends_with("]\n}\n"));
}

TEST(Ends, OneProcessorGivesOneThread) {
  auto const ended = run({"info"}, [] {
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    std::size_t first = 0;
    while (CPU_ISSET(first, &all) == 0) {
      ++first;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
    unsetenv("OMP_NUM_THREADS");
    unsetenv("KOKKOS_NUM_THREADS");
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.out.find("1 thread on") != std::string::npos) << ended.out;
  EXPECT_TRUE(ended.out.find("threads on") == std::string::npos) << ended.out;
}

/// What the command gives, in an empty output folder.
std::string answer_of(Commands const& commands, Command const& command, Child::Setup const& setup,
                      Ended& ended) {
  commands.empty_outputs();
  ended = run(command.arguments, setup);
  return command.output.empty() ? ended.out : read_file(commands.outputs / command.output);
}

TEST(Ends, NumbersAreTheSameInEveryLocale) {
  auto const* faults = std::getenv("TAPER_FAULTS");
  if (faults == nullptr || *faults == '\0') {
    GTEST_SKIP() << "SKIPPED: no library can be preloaded";
  }
  Folder const locales;
  auto const make = "localedef -i de_DE -f UTF-8 " + locales / "de_DE.UTF-8" + " 2>/dev/null";
  if (std::system(make.c_str()) != 0) {
    GTEST_SKIP() << "SKIPPED: no locale de_DE";
  }
  // The library sets the locale in the process, as a program that embeds Taper may do.
  auto const german = [&] {
    setenv("LOCPATH", locales.path().c_str(), 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("LD_PRELOAD", faults, 1);
    setenv("TAPER_FAULT_LOCALE", "de_DE.UTF-8", 1);
  };
  Commands const commands(0);
  auto all = commands.all();
  std::erase_if(all, [](Command const& command) { return command.name == "tune"; });
  all.push_back({"large numbers", {"generate", "graph", "gnp", "2000"}, ""});
  for (auto const& command : all) {
    Ended plain;
    auto const reference = answer_of(commands, command, {}, plain);
    Ended in_german;
    auto const answer = answer_of(commands, command, german, in_german);
    EXPECT_EQ(in_german.status, plain.status) << command.name << ": " << in_german.err;
    EXPECT_TRUE(command.is_whole(answer, reference)) << command.name << ": " << answer;
  }
  // Seconds have a decimal point.
  Ended table;
  auto const rows = answer_of(commands, {"", commands.csv_table(), ""}, german, table);
  EXPECT_NE(rows.find("GS-Seq-CPU"), std::string::npos) << table.err;
  EXPECT_NE(rows.find('.'), std::string::npos) << rows;
}

TEST(Ends, AClosedTerminalKeepsTheCover) {
  Folder const folder;
  EXPECT_EQ(run({"generate", "graph", "random_regular", "600", "--degree", "6", "-o", folder / "g"})
                .status,
            0);
  int const terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  grantpt(terminal);
  unlockpt(terminal);
  std::string const name = ptsname(terminal);
  Child child({"cover", folder / "g", "-o", folder / "cover"}, [&] {
    setsid();
    int const end = open(name.c_str(), O_RDWR);  // becomes the controlling terminal
    for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      dup2(end, descriptor);
    }
    close(end);
  });
  sleep_seconds(1);
  close(terminal);
  auto const ended = child.wait(10);
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(run({"verify", "cover", folder / "g", folder / "cover"}).status, 0);
}

TEST(Ends, NeitherProcNorSysIsNeeded) {
  auto const hide = [] {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      _exit(77);
    }
    mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    for (auto const* folder : {"/proc", "/sys"}) {
      if (mount("none", folder, "tmpfs", 0, nullptr) != 0) {
        _exit(77);
      }
    }
  };
  Commands const commands(0);
  for (auto const& command : commands.all()) {
    if (command.name == "tune") {
      continue;
    }
    commands.empty_outputs();
    auto const with = run(command.arguments);
    auto const reference =
        command.output.empty() ? with.out : read_file(commands.outputs / command.output);
    commands.empty_outputs();
    auto const without = run(command.arguments, hide);
    if (without.status == 77) {
      GTEST_SKIP() << "SKIPPED: no namespaces";
    }
    EXPECT_EQ(without.status, with.status) << command.name << ": " << without.err;
    auto const answer =
        command.output.empty() ? without.out : read_file(commands.outputs / command.output);
    EXPECT_TRUE(command.is_whole(answer, reference)) << command.name << ": " << answer;
    for (auto const& name : files_below(commands.outputs.path())) {
      EXPECT_FALSE(name.ends_with(".tmp")) << name;
    }
  }
}

}  // namespace
