// SPDX-License-Identifier: Apache-2.0
#include "lists.hpp"
#include "parts_mpi.hpp"

#include <algorithms/stable_marriage/side.hpp>
#include <algorithms/stable_marriage/solved.hpp>
#include <support/interrupt.hpp>
#include <support/message.hpp>
#include <support/phase_clock.hpp>

#include <io/market/lists_part.hpp>
#include <taper/stable_marriage/distributed/distributed.hpp>
#include <taper/stable_marriage/distributed/fields.hpp>
#include <taper/stable_marriage/distributed/verify.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

/// What process 0 tells all processes to do.
struct Command {
  enum class What { generate, solve, verify, find_pairs, ranks } what = What::generate;
  sm::Workload workload = {};
  sm::Options options = {};  ///< without a machine profile, which is in the memory of process 0
  std::uint64_t count = 0;   ///< of blocking pairs to find, or of questions
};
static_assert(std::is_trivially_copyable_v<Command>);

/// The arguments and the results of a command, in process 0.
struct Exchanged {
  std::vector<std::uint32_t> partner_of;  ///< of all men
  Verdict verdict = {};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs = {};
  std::vector<RankQuestion> questions = {};
  std::vector<std::uint32_t> ranks = {};
  Solved solved = {};
};

/// The first man, and the first woman, of a process.
std::size_t block_of(std::size_t n, int process) {
  return n * static_cast<std::size_t>(process) / static_cast<std::size_t>(processes().count);
}

/// The lists of a block of men, and of the same block of women.
struct ListsOfBlock {
  std::size_t n = 0;  ///< people per side of the instance
  std::size_t first = 0;
  io::IdTable men = {};
  io::IdTable women = {};
};

/// The lists of one process, and what it does with them. Requires a started Runtime.
class OwnLists {
 public:
  explicit OwnLists(ListsOfBlock lists) : own_(std::move(lists)) {}

  std::size_t n() const { return own_.n; }

  void execute(Command const& command, Exchanged& all) {
    switch (command.what) {
    case Command::What::generate:
      generate(command);
      break;
    case Command::What::solve:
      solve(command.options, all);
      break;
    case Command::What::verify:
      verify(all);
      break;
    case Command::What::find_pairs:
      find_pairs(command.count, all);
      break;
    case Command::What::ranks:
      find_ranks(command.count, all);
      break;
    }
  }

 private:
  /// Calls use(shard) with the lists as Views.
  template <class Use>
  void with_shard(Use const& use) const {
    std::as_const(own_.men).visit([&]<class Id>(std::span<Id const> men) {
      std::as_const(own_.women).visit([&]<class Other>(std::span<Other const> women) {
        if constexpr (std::is_same_v<Id, Other>) {
          using Lists = sm::ConstTable<Id, Kokkos::HostSpace>;
          use(sm::Shard<Lists>{Lists(men.data(), own_.men.rows(), own_.n),
                               Lists(women.data(), own_.women.rows(), own_.n)});
        }
      });
    });
  }
  /// Calls use(shard, partner_of) with the partners of the own men. Process 0 has those of all men,
  /// and sends each process its part.
  template <class Use>
  void with_matching(Exchanged const& all, Use const& use) const {
    auto const own = scatter(all.partner_of, own_.men.rows());
    with_shard([&]<class Lists>(sm::Shard<Lists> const& shard) {
      using Id = typename Lists::non_const_value_type;
      use(shard, to_memory<Id>(where_, own));
    });
  }

  void generate(Command const& command) {
    own_ = {};
    together([&] {
      auto const n = command.workload.n;
      auto const first = block_of(n, processes().own);
      auto const rows = block_of(n, processes().own + 1) - first;
      own_ = {n, first, io::IdTable(rows, n), io::IdTable(rows, n)};
      own_.men.visit([&]<class Id>(std::span<Id> men) {
        own_.women.visit([&]<class Other>(std::span<Other> women) {
          if constexpr (std::is_same_v<Id, Other>) {
            using Lists = sm::Table<Id, Kokkos::HostSpace>;
            sm::generate_block(where_, command.workload, Lists(men.data(), rows, n), first,
                               Lists(women.data(), rows, n), first);
          }
        });
      });
    });
  }

  void solve(sm::Options const& options, Exchanged& all) {
    MPI_Barrier(MPI_COMM_WORLD);
    with_shard([&]<class Lists>(sm::Shard<Lists> const& shard) {
      using Id = typename Lists::non_const_value_type;
      Kokkos::View<Id*, Kokkos::HostSpace> const partner_of("taper::app::partner_of",
                                                            own_.men.rows());
      support::PhaseClock const clock;
      auto report = sm::solve(where_, MPI_COMM_WORLD, shard, partner_of, options);
      all.solved = summarize(report.instance, clock);
      sum_traffic(report.traffic);
      all.solved.traffic = std::move(report.traffic);
      all.solved.partner_of_man = gather(to_host(partner_of));
    });
  }

  void verify(Exchanged& all) const {
    with_matching(all, [&](auto const& shard, auto const& partner_of) {
      std::uint64_t const people = shard.men.extent(0);
      sm::detail::Communicator const communicator("taper", MPI_COMM_WORLD);
      auto const blocks = distributed::make_blocks<Kokkos::HostSpace>(communicator.gather(people));
      auto const partners = distributed::gather_blocks(communicator, blocks, partner_of);
      all.verdict = {.perfect_matching = sm::is_perfect_matching(where_, partners)};
      if (all.verdict.perfect_matching) {
        all.verdict.blocking_pairs =
            sm::count_blocking_pairs(where_, MPI_COMM_WORLD, shard, partner_of);
      }
    });
  }

  void find_pairs(std::uint64_t limit, Exchanged& all) const {
    with_matching(all, [&](auto const& shard, auto const& partner_of) {
      all.pairs =
          to_pairs(sm::find_blocking_pairs(where_, MPI_COMM_WORLD, shard, partner_of, limit));
    });
  }

  /// Each process answers the questions for its own agents, with 0 for the others. The maximum over
  /// all processes is the answer.
  void find_ranks(std::uint64_t count, Exchanged& all) const {
    all.questions.resize(count);
    MPI_Bcast(all.questions.data(), static_cast<int>(count * sizeof(RankQuestion)), MPI_BYTE, 0,
              MPI_COMM_WORLD);
    std::vector<std::int64_t> ranks;  // signed: see Communicator::take_largest()
    for (auto const& question : all.questions) {
      io::IdTable const& lists = question.of_woman != 0 ? own_.women : own_.men;
      bool const is_here =
          question.agent >= own_.first && question.agent - own_.first < lists.rows();
      ranks.push_back(is_here ? static_cast<std::int64_t>(
                                    rank_of(lists, question.agent - own_.first, question.other))
                              : 0);
    }
    MPI_Allreduce(MPI_IN_PLACE, ranks.data(), static_cast<int>(count), MPI_INT64_T, MPI_MAX,
                  MPI_COMM_WORLD);
    all.ranks.assign(ranks.begin(), ranks.end());
  }

  HostSpace where_;
  ListsOfBlock own_;
};

/// What load_lists() has read, until loaded_lists() or serve_lists() takes it.
std::optional<ListsOfBlock> read_lists;

/// The whole instance, as process 0 uses it: each call is a command to all processes.
class AllLists final : public ProblemInParts {
 public:
  explicit AllLists(sm::Workload const& workload)
      : own_(std::make_unique<OwnLists>(ListsOfBlock())) {
    Exchanged all;
    execute({.what = Command::What::generate, .workload = workload}, all);
  }
  explicit AllLists(ListsOfBlock own) : own_(std::make_unique<OwnLists>(std::move(own))) {}

  std::size_t size() const override { return own_->n(); }

  Solved solve(std::string_view, sm::Options const& options) const override {
    Exchanged all;
    auto sent = options;
    sent.machine = nullptr;
    execute({.what = Command::What::solve, .options = sent}, all);
    return std::move(all.solved);
  }
  Verdict verify(std::span<std::uint32_t const> partner_of_man) const override {
    Exchanged all{.partner_of = {partner_of_man.begin(), partner_of_man.end()}};
    execute({.what = Command::What::verify}, all);
    return all.verdict;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
  blocking_pairs(std::span<std::uint32_t const> partner_of_man, std::size_t limit) const override {
    Exchanged all{.partner_of = {partner_of_man.begin(), partner_of_man.end()}};
    execute({.what = Command::What::find_pairs, .count = limit}, all);
    return std::move(all.pairs);
  }
  std::vector<std::uint32_t> ranks_of(std::vector<RankQuestion> const& questions) const override {
    Exchanged all{.partner_of = {}, .questions = questions};
    execute({.what = Command::What::ranks, .count = questions.size()}, all);
    return std::move(all.ranks);
  }

 private:
  void execute(Command const& command, Exchanged& all) const {
    give_command(std::as_bytes(std::span(&command, 1)));
    in_all([&] {
      own_->execute(command, all);
      return 0;
    });
  }

  std::unique_ptr<OwnLists> own_;
};

/// The first id in the file, as all processes have found it. Those without rows have found none.
/// Throws: ConfigError if they have found different ones.
int same_base(io::ListsPart const& part) {
  std::int64_t least = part.base_is_known ? part.base : 2;
  std::int64_t largest = part.base_is_known ? part.base : -1;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (least < largest) {
    throw ConfigError("some processes found ids from 0 on in their lists, others from 1 on: set "
                      "--base 0 or --base 1, and the wrong list is named");
  }
  return static_cast<int>(largest < 0 ? 0 : largest);
}

}  // namespace

std::unique_ptr<ProblemInParts> generate_lists(sm::Workload const& workload) {
  return std::make_unique<AllLists>(workload);
}

ListsRead load_lists(std::span<std::filesystem::path const> files,
                     io::MarketReadOptions const& options) {
  io::ListsPart part;
  together([&] {
    part = io::read_lists_part(files, static_cast<std::uint64_t>(processes().own),
                               static_cast<std::uint64_t>(processes().count), options);
  });
  auto const base = same_base(part);
  auto const n = part.n.front();
  print_notes(io::base_notes(files.front(), n, base, options));
  read_lists = {n, part.first, std::move(part.sides[0]), std::move(part.sides[1])};
  return {n, base};
}

std::unique_ptr<ProblemInParts> loaded_lists() {
  return std::make_unique<AllLists>(*std::exchange(read_lists, std::nullopt));
}

void serve_lists() {
  Interrupt const interrupt;  // process 0 decides when the run ends
  OwnLists own(std::exchange(read_lists, std::nullopt).value_or(ListsOfBlock()));
  Command command;
  while (take_command(std::as_writable_bytes(std::span(&command, 1)))) {
    try {
      in_all([&] {
        Exchanged all;
        own.execute(command, all);
        return 0;
      });
    } catch (ConfigError const&) {
      // Process 0 has it too, and reports it.
    }
  }
}

}  // namespace taper::app
