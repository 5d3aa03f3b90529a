// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace taper::test {

/// The executable under test.
inline std::string taper() {
  auto const* path = std::getenv("TAPER");
  return path == nullptr ? "taper" : path;
}

/// A folder that is deleted in the end.
class Folder {
 public:
  Folder() {
    auto name = (std::filesystem::temp_directory_path() / "taper-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;

  std::string operator/(std::string_view name) const { return path_ / name; }
  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(std::filesystem::path const& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The names of all files below a folder.
inline std::set<std::string> files_below(std::filesystem::path const& folder) {
  std::set<std::string> names;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) {
      names.insert(entry.path().lexically_relative(folder).string());
    }
  }
  return names;
}

/// How a process ended.
struct Ended {
  int status = 0;  ///< the exit status; 128 + N after signal N, as a shell says
  bool in_time = false;
  double seconds = 0;  ///< from the start of wait()
  std::string out;
  std::string err;
};

/// A process that runs the executable under test. Its output is kept.
class Child {
 public:
  using Setup = std::function<void()>;

  /// `setup`: called in the new process before the executable starts.
  explicit Child(std::vector<std::string> arguments, Setup const& setup = {}) {
    arguments.insert(arguments.begin(), taper());
    std::vector<char*> pointers;
    for (auto& argument : arguments) {
      pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    id_ = fork();
    if (id_ == 0) {
      int const input = open("/dev/null", O_RDONLY);
      dup2(input, STDIN_FILENO);
      close(input);
      dup2(fileno(out_.get()), STDOUT_FILENO);
      dup2(fileno(err_.get()), STDERR_FILENO);
      if (setup) {
        setup();
      }
      execv(pointers[0], pointers.data());
      _exit(127);
    }
  }
  ~Child() {
    if (id_ > 0) {
      kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
    }
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;

  void signal(int number) const { kill(id_, number); }

  bool runs() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }

  /// Waits for the end; kills the process after `limit` seconds.
  Ended wait(double limit = 60) {
    Ended ended;
    auto const begin = std::chrono::steady_clock::now();
    auto const elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    int status = 0;
    while (!ended.in_time && elapsed() < limit) {
      ended.in_time = waitpid(id_, &status, WNOHANG) == id_;
      std::this_thread::sleep_for(std::chrono::microseconds(ended.in_time ? 0 : 500));
    }
    ended.seconds = elapsed();
    if (!ended.in_time) {
      kill(id_, SIGKILL);
      waitpid(id_, &status, 0);
    }
    id_ = -1;
    ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    ended.out = text_of(out_);
    ended.err = text_of(err_);
    return ended;
  }

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  static std::string text_of(File const& file) {
    std::rewind(file.get());
    std::string text;
    std::array<char, 4096> buffer;
    while (auto const count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
      text.append(buffer.data(), count);
    }
    return text;
  }

  File out_{std::tmpfile(), std::fclose};
  File err_{std::tmpfile(), std::fclose};
  pid_t id_ = -1;
};

/// Runs the executable to its end.
inline Ended run(std::vector<std::string> arguments, Child::Setup const& setup = {}) {
  return Child(std::move(arguments), setup).wait();
}

inline void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace taper::test
