// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/communicator.hpp>

#include <mpi.h>

#include <cstdint>
#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace taper::vertex_cover::detail {

using distributed::Communicator;
using distributed::require_success;

/// Messages of 32-bit words between any two processes. No function waits for another process.
/// Throws: taper::Error, as require_success(). Used by: Team.
class Mailbox {
 public:
  using Words = std::vector<std::uint32_t>;

  explicit Mailbox(Communicator const& communicator) : communicator_(communicator) {}

  /// Starts a synchronous send, which is done only when the other process has taken the message.
  void send(std::uint32_t to, Words words) {
    ++messages_;
    bytes_ += words.size() * sizeof(std::uint32_t);
    Sent& sent = sent_.emplace_back(std::move(words), MPI_REQUEST_NULL);
    require_success(MPI_Issend(sent.words.data(), static_cast<int>(sent.words.size()), MPI_UINT32_T,
                               static_cast<int>(to), tag, communicator_.get(), &sent.request),
                    "MPI_Issend");
  }

  struct Message {
    std::uint32_t from;
    Words words;
  };
  /// Takes the next message that has come; nothing if there is none.
  std::optional<Message> take() {
    int has_come = 0;
    MPI_Status status;
    require_success(MPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_.get(), &has_come, &status),
                    "MPI_Iprobe");
    if (has_come == 0) {
      return std::nullopt;
    }
    int count = 0;
    require_success(MPI_Get_count(&status, MPI_UINT32_T, &count), "MPI_Get_count");
    Message message{static_cast<std::uint32_t>(status.MPI_SOURCE),
                    Words(static_cast<std::size_t>(count))};
    require_success(MPI_Recv(message.words.data(), count, MPI_UINT32_T, status.MPI_SOURCE, tag,
                             communicator_.get(), MPI_STATUS_IGNORE),
                    "MPI_Recv");
    return message;
  }

  /// Frees the sent messages that were taken. Returns whether all have been taken.
  bool all_are_taken() {
    std::erase_if(sent_, [](Sent& sent) {
      int done = 0;
      require_success(MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
    return sent_.empty();
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr int tag = 0;

  struct Sent {
    Words words;  ///< not to be changed until the request is done
    MPI_Request request;
    Sent(Words given, MPI_Request of) : words(std::move(given)), request(of) {}
  };

  Communicator const& communicator_;
  std::list<Sent> sent_;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace taper::vertex_cover::detail
