// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/random.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

// The operations of MPI that the solvers use: collective ones, messages, and errors in all
// processes. The program initialises and finalises MPI.
// Used by: the folders distributed/ of the algorithms.

namespace taper {

/// An error that all processes of the communicator throw, with the same message. So one of them
/// prints it, and no process waits for another one. After any other exception in one process, the
/// program calls MPI_Abort().
class CollectiveError : public Error {
 public:
  using Error::Error;
};

}  // namespace taper

namespace taper::distributed {

/// Throws: taper::Error if an MPI function failed. It only returns a failure if the program has
/// replaced MPI's default error handler, which ends all processes.
inline void require_success(int code, std::string const& function) {
  if (code != MPI_SUCCESS) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw Error(function + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
  }
}

/// Waits until all requests are done. Throws: taper::Error, as require_success().
///
/// It polls at first, since a message between two cores takes microseconds. Then it sleeps between
/// two polls. MPI's own functions never sleep: with more processes than cores, those that wait
/// occupy the cores of the others, and each message takes milliseconds.
inline void wait_for(std::span<MPI_Request> requests) {
  constexpr int polls = 1000;
  constexpr std::chrono::microseconds nap(20);
  int done = 0;
  for (int poll = 0;; ++poll) {
    require_success(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
    if (done != 0) {
      return;
    }
    if (poll >= polls) {
      std::this_thread::sleep_for(nap);
    }
  }
}

/// A hash of a sequence of values. Communicator::same() compares it: processes with equal values
/// have equal hashes.
class Fingerprint {
 public:
  void add(std::uint64_t value) { hash_ = scatter_bits(hash_ ^ scatter_bits(value + 1)); }
  template <class Values>
  void add_all(Values const& values) {
    for (auto const value : values) {
      add(value);
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

/// A private copy of the caller's communicator, so that no message of a solve is taken for one of
/// the caller's. All processes call each function, except the getters and require().
class Communicator {
 public:
  /// `most`: the longest collective operation, in values; MPI counts in int. Longer ones go in
  /// pieces.
  /// Throws: taper::Error if MPI is not initialised, or already finalised.
  Communicator(std::string const& function, MPI_Comm parent,
               std::uint64_t most = std::uint64_t{1} << 28)
      : most_(most) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    TAPER_REQUIRE(initialized != 0 && finalized == 0,
                  function + ": MPI is not initialised; call it between MPI_Init_thread() and " +
                      "MPI_Finalize()");
    MPI_Request request = MPI_REQUEST_NULL;
    require_success(MPI_Comm_idup(parent, &communicator_, &request), "MPI_Comm_idup");
    wait_for({&request, 1});
    MPI_Comm_rank(communicator_, &process_);
    MPI_Comm_size(communicator_, &processes_);
  }
  ~Communicator() { MPI_Comm_free(&communicator_); }
  Communicator(Communicator const&) = delete;
  Communicator& operator=(Communicator const&) = delete;

  MPI_Comm get() const { return communicator_; }
  std::uint32_t process() const { return static_cast<std::uint32_t>(process_); }
  std::uint32_t processes() const { return static_cast<std::uint32_t>(processes_); }

  /// Gathers a value of each process, in the order of the processes.
  std::vector<std::uint64_t> gather(std::uint64_t own) const {
    return gather(std::span<std::uint64_t const>(&own, 1));
  }

  /// Gathers the words of each process, in the order of the processes. Requires: each process gives
  /// the same number of words.
  std::vector<std::uint64_t> gather(std::span<std::uint64_t const> own) const {
    auto const words = static_cast<int>(own.size());
    std::vector<std::uint64_t> all(own.size() * processes());
    start("MPI_Iallgather", [&](MPI_Request* request) {
      return MPI_Iallgather(own.data(), words, MPI_UINT64_T, all.data(), words, MPI_UINT64_T,
                            communicator_, request);
    });
    return all;
  }

  /// Sends `words` words to each process, and receives as many from each.
  ///
  /// `given`: words * processes() words, in the order of the receivers. Returns those that were
  /// received, in the order of the senders.
  std::vector<std::uint64_t> exchange(std::vector<std::uint64_t> const& given, int words) const {
    std::vector<std::uint64_t> taken(given.size());
    start("MPI_Ialltoall", [&](MPI_Request* request) {
      return MPI_Ialltoall(given.data(), words, MPI_UINT64_T, taken.data(), words, MPI_UINT64_T,
                           communicator_, request);
    });
    return taken;
  }

  std::uint64_t sum_of(std::uint64_t own) const {
    auto const all = gather(own);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }
  std::uint64_t least_of(std::uint64_t own) const { return std::ranges::min(gather(own)); }
  std::uint64_t largest_of(std::uint64_t own) const { return std::ranges::max(gather(own)); }

  /// Replaces each value by its sum over all processes.
  void add_up(std::uint32_t* values, std::uint64_t count) const {
    reduce(values, count, MPI_UINT32_T, MPI_SUM);
  }

  /// Replaces each value by its maximum over all processes.
  ///
  /// MPICH 4.0.2 compares unsigned integers as if they were signed. So the upper bits are flipped:
  /// signed integers then have the order of the unsigned ones.
  void take_largest(std::uint32_t* values, std::uint64_t count) const {
    constexpr std::uint32_t upper_bit = std::uint32_t{1} << 31;
    auto const turn = [&](std::uint32_t value) { return value ^ upper_bit; };
    std::transform(values, values + count, values, turn);
    reduce(values, count, MPI_INT32_T, MPI_MAX);
    std::transform(values, values + count, values, turn);
  }

  /// Throws: CollectiveError if the condition is false. Requires: it has the same value in all
  /// processes.
  static void require(bool condition, std::string const& message) {
    if (!condition) {
      throw CollectiveError(message);
    }
  }

  /// Calls work() and returns its result. Requires: it throws in all processes or in none.
  /// Throws: CollectiveError instead of the taper::Error of `work`.
  template <class Work>
  static auto alike(Work const& work) {
    try {
      return work();
    } catch (Error const& error) {
      throw CollectiveError(error.what());
    }
  }

  /// Whether all processes have the same value.
  bool same(std::uint64_t value) const { return least_of(value) == largest_of(value); }

  /// Replaces the bytes by those of process `from`. Requires: all processes have the same number of
  /// bytes.
  template <class Bytes>
  void broadcast(Bytes& bytes, std::uint32_t from) const {
    static_assert(sizeof(typename Bytes::value_type) == 1);
    in_pieces(bytes.size(), [&](std::uint64_t first, int count) {
      start("MPI_Ibcast", [&](MPI_Request* request) {
        return MPI_Ibcast(bytes.data() + first, count, MPI_BYTE, static_cast<int>(from),
                          communicator_, request);
      });
    });
  }

  /// Throws: CollectiveError in all processes if one has a problem, with the number and the problem
  /// of the first such process. `problem`: empty if there is none. Without this, the other
  /// processes would wait for one that has thrown.
  void agree(std::string const& function, std::string const& problem) const {
    std::uint64_t const first = least_of(problem.empty() ? processes() : process());
    if (first == processes()) {
      return;
    }
    std::string text = problem;
    text.resize(sum_of(process() == first ? problem.size() : 0));
    broadcast(text, static_cast<std::uint32_t>(first));
    throw CollectiveError(function + ": process " + std::to_string(first) + ": " + text);
  }

 private:
  /// Starts a collective operation and waits for it.
  template <class Operation>
  void start(std::string const& function, Operation const& operation) const {
    MPI_Request request = MPI_REQUEST_NULL;
    require_success(operation(&request), function);
    wait_for({&request, 1});
  }

  /// Calls use(first, count) for each piece of `size` values.
  template <class Use>
  void in_pieces(std::uint64_t size, Use const& use) const {
    for (std::uint64_t first = 0; first < size; first += most_) {
      use(first, static_cast<int>(std::min(size - first, most_)));
    }
  }

  void reduce(std::uint32_t* values, std::uint64_t size, MPI_Datatype type,
              MPI_Op operation) const {
    in_pieces(size, [&](std::uint64_t first, int count) {
      start("MPI_Iallreduce", [&](MPI_Request* request) {
        return MPI_Iallreduce(MPI_IN_PLACE, values + first, count, type, operation, communicator_,
                              request);
      });
    });
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::uint64_t most_;
  int process_ = 0;
  int processes_ = 1;
};

/// The most bytes of a message, if the caller has no option for it.
inline constexpr std::uint64_t longest_message = std::uint64_t{1} << 30;

/// What is wrong with an option max_message_bytes; empty if it is right.
inline std::string message_size_problem(std::uint64_t max_message_bytes) {
  bool const right =
      max_message_bytes > 0 && max_message_bytes <= std::numeric_limits<std::int32_t>::max();
  return right ? std::string() : "max_message_bytes is 1 to 2^31 - 1";
}

/// Messages of any length between pairs of processes. send() and receive() start them; wait() ends
/// all of them.
class Messages {
 public:
  Messages(Communicator const& communicator, std::uint64_t max_message_bytes)
      : communicator_(communicator), most_(max_message_bytes) {}

  /// Requires: `data` is not changed until wait() returns; the receiver expects as many bytes.
  /// Messages from one process to another arrive in the order of the calls.
  void send(std::uint32_t to, void const* data, std::uint64_t bytes) {
    bytes_sent_ += bytes;
    in_pieces(bytes, [&](std::uint64_t first, int count, MPI_Request* request) {
      return MPI_Isend(static_cast<std::byte const*>(data) + first, count, MPI_BYTE,
                       static_cast<int>(to), 0, communicator_.get(), request);
    });
  }
  void receive(std::uint32_t from, void* data, std::uint64_t bytes) {
    in_pieces(bytes, [&](std::uint64_t first, int count, MPI_Request* request) {
      return MPI_Irecv(static_cast<std::byte*>(data) + first, count, MPI_BYTE,
                       static_cast<int>(from), 0, communicator_.get(), request);
    });
  }
  void wait() {
    wait_for(requests_);
    requests_.clear();
  }

  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  /// MPI counts in int, so a long message is sent in pieces. Sender and receiver compute the same
  /// pieces from the number of bytes.
  template <class Start>
  void in_pieces(std::uint64_t bytes, Start const& start) {
    for (std::uint64_t first = 0; first < bytes; first += most_) {
      auto const count = static_cast<int>(std::min(bytes - first, most_));
      require_success(start(first, count, &requests_.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Isend or MPI_Irecv");
    }
  }

  Communicator const& communicator_;
  std::uint64_t most_;
  std::uint64_t bytes_sent_ = 0;
  std::vector<MPI_Request> requests_;
};

}  // namespace taper::distributed
