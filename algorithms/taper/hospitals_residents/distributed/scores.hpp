// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/communicator.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// Keys from scores, over the processes of MPI, by a sample sort. Each process gets the scores of a
// range, and counts the distinct ones.

namespace taper::hospitals_residents {

/// The distinct scores of one process, the best first.
struct OwnScores {
  std::vector<double> scores;
  std::vector<std::uint32_t> keys;  ///< per score: its key in the whole market
};

namespace detail {

/// Maps scores to words in such a way that the smallest word is the best score. 0 and -0 have the
/// same word.
struct ScoreOrder {
  bool lowest_first;

  KOKKOS_FUNCTION std::uint64_t word_of(double score) const {
    auto const bits = Kokkos::bit_cast<std::uint64_t>(score + 0.0);
    std::uint64_t const rising = (bits & upper) != 0 ? ~bits : bits | upper;
    return lowest_first ? rising : ~rising;
  }
  double score_of(std::uint64_t word) const {
    std::uint64_t const rising = lowest_first ? word : ~word;
    return std::bit_cast<double>((rising & upper) != 0 ? rising & ~upper : ~rising);
  }

 private:
  static constexpr std::uint64_t upper = std::uint64_t{1} << 63;
};

/// Finds the key of each score by a binary search among the distinct scores of this process.
template <class Scores, class Keys>
struct FindKeys {
  ScoreOrder order;
  Scores scores;
  Keys keys;
  std::uint64_t const* different;  ///< `count` distinct words, sorted
  std::uint64_t count;
  std::uint32_t const* key_of;  ///< per distinct word

  KOKKOS_FUNCTION void operator()(std::uint64_t entry) const {
    std::uint64_t const word = order.word_of(scores(entry));
    std::uint64_t low = 0;
    for (std::uint64_t end = count; end - low > 1;) {
      std::uint64_t const middle = low + (end - low) / 2;
      (different[middle] <= word ? low : end) = middle;
    }
    keys(entry) = key_of[low];
  }
};

using ScoreWords = std::vector<std::uint64_t>;

/// Sorts the words, and drops repeated ones.
template <class Word>
void sort_different(std::vector<Word>& words) {
  std::ranges::sort(words);
  auto const repeated = std::ranges::unique(words);
  words.erase(repeated.begin(), repeated.end());
}

/// The position of the first item of each process, and the number of all items.
inline std::vector<std::uint64_t> begins_of(std::vector<std::uint64_t> const& counts) {
  std::vector<std::uint64_t> begins{0};
  for (auto const count : counts) {
    begins.push_back(begins.back() + count);
  }
  return begins;
}

/// Divides the words into one range per process, of about the same size each. Returns the first
/// word of each range but that of process 0. `own`: sorted words of this process.
///
/// Each process gives a sample of its words, and all processes sort all samples.
inline ScoreWords range_starts(distributed::Communicator const& communicator,
                               ScoreWords const& own) {
  std::uint64_t const processes = communicator.processes();
  std::uint64_t const count = std::min<std::uint64_t>(own.size(), 32 * processes);
  ScoreWords sample(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    sample[i] = own[i * own.size() / count];
  }
  auto const counts = communicator.gather(count);
  auto const begins = begins_of(counts);
  ScoreWords samples(begins.back());
  distributed::Messages messages(communicator, distributed::longest_message);
  for (std::uint32_t other = 0; other < processes; ++other) {
    if (other != communicator.process()) {
      messages.receive(other, samples.data() + begins[other],
                       counts[other] * sizeof(std::uint64_t));
      messages.send(other, sample.data(), count * sizeof(std::uint64_t));
    }
  }
  messages.wait();
  std::ranges::copy(sample,
                    samples.begin() + static_cast<std::ptrdiff_t>(begins[communicator.process()]));
  std::ranges::sort(samples);
  ScoreWords starts;
  for (std::uint64_t process = 1; process < processes && !samples.empty(); ++process) {
    starts.push_back(samples[process * samples.size() / processes]);
  }
  starts.resize(processes - 1, std::numeric_limits<std::uint64_t>::max());
  return starts;
}

/// Sends the items from[begins[p]], ..., from[begins[p + 1] - 1] to process p. Those of process p
/// become to[to_begins[p]], ..., to[to_begins[p + 1] - 1].
template <class Item>
void exchange(distributed::Communicator const& communicator, std::vector<Item> const& from,
              std::vector<std::uint64_t> const& begins, std::vector<Item>& to,
              std::vector<std::uint64_t> const& to_begins) {
  distributed::Messages messages(communicator, distributed::longest_message);
  for (std::uint32_t other = 0; other < communicator.processes(); ++other) {
    auto const count = begins[other + 1] - begins[other];
    if (other == communicator.process()) {
      std::copy_n(from.data() + begins[other], count, to.data() + to_begins[other]);
    } else {
      messages.receive(other, to.data() + to_begins[other],
                       (to_begins[other + 1] - to_begins[other]) * sizeof(Item));
      messages.send(other, from.data() + begins[other], count * sizeof(Item));
    }
  }
  messages.wait();
}

/// The number of distinct smaller words of all processes, for each word of this one. `own`: sorted
/// and distinct.
///
/// Each word travels to the process of its range, which counts, and the result travels back.
inline std::vector<std::uint32_t> places_of(std::string const& function,
                                            distributed::Communicator const& communicator,
                                            ScoreWords const& own) {
  std::vector<std::uint64_t> counts;
  auto at = own.begin();
  for (auto const start : range_starts(communicator, own)) {
    auto const end = std::lower_bound(at, own.end(), start);
    counts.push_back(static_cast<std::uint64_t>(end - at));
    at = end;
  }
  counts.push_back(static_cast<std::uint64_t>(own.end() - at));
  auto const begins = begins_of(counts);
  auto const came_begins = begins_of(communicator.exchange(counts, 1));
  ScoreWords came(came_begins.back());
  exchange(communicator, own, begins, came, came_begins);

  ScoreWords different = came;
  sort_different(different);
  auto const first = begins_of(communicator.gather(different.size()));
  distributed::Communicator::require(first.back() <= std::numeric_limits<std::uint32_t>::max(),
                                     function + ": there are more than 2^32 - 1 different scores");
  std::vector<std::uint32_t> came_places(came.size());
  std::ranges::transform(came, came_places.begin(), [&](std::uint64_t word) {
    auto const place = std::ranges::lower_bound(different, word) - different.begin();
    return static_cast<std::uint32_t>(first[communicator.process()] +
                                      static_cast<std::uint64_t>(place));
  });
  std::vector<std::uint32_t> places(own.size());
  exchange(communicator, came_places, came_begins, places, begins);
  return places;
}

}  // namespace detail

/// Sets the key of each entry from its score: the number of distinct better scores of all
/// processes. So equal scores get equal keys, and the best score gets 0. All processes call it.
///
/// `lowest_first`: a lower score is better. It is the same in all processes.
/// Equivalent to: sort the scores of the whole market, drop repeated ones, and find each score.
/// Requires: no score is a NaN; scores and keys are rank-1 Views of double and std::uint32_t, with
///   an entry per entry of the shard, in host memory.
/// Cost: a sort of the scores of this process by one thread, and a search per entry. Per distinct
///   score of a process: 8 bytes of messages there and 4 back, and 40 bytes of memory.
/// Throws: CollectiveError if extents disagree, or if there are more than 2^32 - 1 distinct scores.
template <HostExecutionSpace Exec, class Scores, class Keys>
OwnScores keys_of_scores(Exec const& where, MPI_Comm communicator, Scores const& scores,
                         Keys const& keys, bool lowest_first) {
  std::string const function = "taper::hospitals_residents::keys_of_scores";
  distributed::Communicator const processes(function, communicator);
  bool const fits = scores.extent(0) == keys.extent(0);
  processes.agree(function, fits ? std::string()
                                 : "there are " + std::to_string(scores.extent(0)) +
                                       " scores, but " + std::to_string(keys.extent(0)) + " keys");
  distributed::Communicator::require(processes.same(lowest_first ? 1 : 0),
                                     function + ": the processes have different orders of scores");
  Region const region(function);
  detail::ScoreOrder const order{lowest_first};
  std::uint64_t const count = scores.extent(0);
  detail::ScoreWords different(count);
  auto* const words = different.data();
  Kokkos::parallel_for(
      "taper::hospitals_residents::words_of_scores", ItemRange<Exec>(where, 0, count),
      KOKKOS_LAMBDA(std::uint64_t entry) { words[entry] = order.word_of(scores(entry)); });
  where.fence("taper::hospitals_residents: wait for the words of scores");
  detail::sort_different(different);
  OwnScores own{{}, detail::places_of(function, processes, different)};
  for (auto const word : different) {
    own.scores.push_back(order.score_of(word));
  }
  Kokkos::parallel_for("taper::hospitals_residents::keys_of_scores",
                       ItemRange<Exec>(where, 0, count),
                       detail::FindKeys<Scores, Keys>{order, scores, keys, different.data(),
                                                      different.size(), own.keys.data()});
  where.fence("taper::hospitals_residents: wait for the keys");
  return own;
}

}  // namespace taper::hospitals_residents
