// SPDX-License-Identifier: Apache-2.0
#include "market_solver.hpp"
#include "solve.hpp"

#include <driver/cli_fields.hpp>
#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <mpi/parts.hpp>

#include <io/market/assignment_summary.hpp>
#include <io/market/assignment_words.hpp>
#include <io/market/hospital_lists.hpp>
#include <io/market/names.hpp>
#include <io/market/write.hpp>
#include <io/text/strings.hpp>
#include <taper/hospitals_residents/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

MarketArrays arrays_of(io::SparseMarket const& market) {
  return {.offsets = market.offsets,
          .hospitals = market.hospitals,
          .keys = market.keys,
          .seats = market.seats,
          .tiers = market.resident_tiers};
}

/// The side that `name` means: a title in the market's file, else residents or men (the first
/// side), hospitals or women. Empty: the first side. Throws ConfigError.
hr::Proposer proposer_named(std::string_view name, io::SparseMarket const& market) {
  auto const first = io::title_of(market, market.first);
  auto const second = io::title_of(market, market.second);
  if (name.empty() || name == first) {
    return hr::Proposer::residents;
  }
  if (name == second) {
    return hr::Proposer::hospitals;
  }
  if (name == "residents" || name == "men") {
    return hr::Proposer::residents;
  }
  if (name == "hospitals" || name == "women") {
    return hr::Proposer::hospitals;
  }
  throw ConfigError(fmt::format("--proposer: no side has the title {}; expected {} or {}",
                                io::in_quotes(name), first, second));
}

/// The value of an option that complete markets have too; nothing if it is not given.
template <class Value>
void take_shared(CLI::App const& command, std::string const& flag, Value& value) {
  auto const* const option = command.get_option_no_throw(flag);
  if (option == nullptr || option->count() == 0) {
    return;
  }
  if constexpr (NamedEnum<Value>) {
    auto const word = option->as<std::string>();
    auto const known = hr::parse<Value>(word);
    if (!known) {
      throw ConfigError(fmt::format("{}: {} is for complete lists{}", flag, io::in_quotes(word),
                                    expected_instead(word, names_of<Value>())));
    }
    value = *known;
  } else {
    value = option->as<Value>();
  }
}

/// Remarks about ties, which deferred acceptance breaks.
std::vector<std::string> tie_notes(io::SparseMarket const& market, hr::Options const& options) {
  std::vector<std::string> notes;
  if (market.has_resident_ties()) {
    notes.push_back(resident_tie_note(market));
  }
  constexpr std::size_t most_entries = 10'000'000;  // beyond, the answer costs more than the solve
  if (options.lottery == hr::Lottery::by_id && market.entries() <= most_entries &&
      io::has_hospital_ties(market)) {
    notes.push_back(fmt::format("ties in lists of the {} are broken by the order of the file (set "
                                "--lottery single or multiple)",
                                io::title_of(market, market.second)));
  }
  return notes;
}

/// The stability that a matching must have.
hr::Stability stability_of(TieRule rule) {
  return rule == TieRule::strong  ? hr::Stability::strong
         : rule == TieRule::super ? hr::Stability::super
                                  : hr::Stability::weak;
}

std::string_view in_words(hr::Stability stability) {
  switch (stability) {
  case hr::Stability::weak:
    break;
  case hr::Stability::strong:
    return "strongly stable";
  case hr::Stability::super:
    return "super-stable";
  }
  return "stable";
}

/// A solve with its check, as the report needs it.
struct Outcome {
  io::SparseMarket const& market;
  hr::Options const& options;
  TieRule ties;
  std::string_view backend;
  MarketSolution const& solution;
  MarketVerdict const& verdict;

  bool must_be_stable() const { return options.mechanism == hr::Mechanism::deferred_acceptance; }
  bool is_wrong() const {
    return !verdict.fault.empty() || (must_be_stable() && verdict.blocking_pairs > 0);
  }
};

/// The last line of a report: what the check has found.
std::string check_line(Outcome const& outcome) {
  bool const weakly = outcome.ties == TieRule::broken || outcome.ties == TieRule::largest;
  if (weakly || outcome.is_wrong()) {
    return check_in_words(outcome.verdict.fault, outcome.verdict.blocking_pairs,
                          outcome.options.mechanism);
  }
  return fmt::format("verified  {}: no blocking pair", in_words(stability_of(outcome.ties)));
}

void print_text_report(Outcome const& outcome, io::AssignmentSummary const& summary) {
  for (auto const& line : io::report_lines(outcome.market, summary)) {
    print_message("{}\n", line);
  }
  if (outcome.ties != TieRule::broken) {
    print_message("engine    {} on one thread in {}\n",
                  outcome.ties == TieRule::largest  ? "Király's algorithm"
                  : outcome.ties == TieRule::strong ? "HRT-Strong-Res"
                                                    : "HRT-Super-Res",
                  format_seconds(outcome.solution.seconds));
    print_message("{}\n", check_line(outcome));
    return;
  }
  auto const& report = outcome.solution.report;
  std::string mechanism(to_string(outcome.options.mechanism));
  std::ranges::replace(mechanism, '_', ' ');
  print_message("engine    {} on {}, {} in {}\n", mechanism, outcome.backend,
                counted(report.proposals, "proposal", "proposals"),
                format_seconds(outcome.solution.seconds));
  for (auto const& migration : report.migrations) {
    if (migration.from != migration.to) {
      print_message("tail      {} moved from the {} to the {}\n",
                    counted(migration.live, "free resident", "free residents"),
                    to_string(migration.from), to_string(migration.to));
    }
  }
  print_message("{}\n", check_line(outcome));
}

void print_json_report(Outcome const& outcome, io::AssignmentSummary const& summary,
                       std::vector<std::string> const& notes) {
  auto json = io::report_json(outcome.market, summary);
  json["backend"] = outcome.backend;
  json["ties"] = to_string(outcome.ties);
  if (outcome.ties == TieRule::broken) {
    json["mechanism"] = to_string(outcome.options.mechanism);
    json["proposals"] = outcome.solution.report.proposals;
  }
  json["seconds"] = outcome.solution.seconds;
  json["blocking_pairs"] = outcome.verdict.blocking_pairs;
  json["fault"] = outcome.verdict.fault;
  json["notes"] = notes;
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  print_message("{}\n", json.dump(2, ' ', false, replace));
}

void print_none(TieRule ties, bool as_json, std::vector<std::string> const& notes) {
  if (as_json) {
    nlohmann::ordered_json const json{
        {"ties", to_string(ties)}, {"exists", false}, {"notes", notes}};
    print_message("{}\n", json.dump(2));
  } else {
    print_message("none      no matching of this market is {}\n", in_words(stability_of(ties)));
  }
}

/// Of markets of which each process reads a part: what the readers of NumPy arrays call the sides.
io::SparseMarket titles_of_arrays() {
  io::SparseMarket market;
  market.first.title = "residents";
  market.second.title = "hospitals";
  return market;
}

class Solver : public SparseMarketSolver {
 public:
  void add_options(CLI::App& command) override {
    fields_.add_options(command, {"schedule", "proposer", "tail", "tail_threshold"});
    ties_given_ =
        add_checked(command, "--ties", ties_, one_of(names_of<TieRule>()), "NAME",
                    "broken: by the order of the file or --lottery (default); largest: a weakly "
                    "stable matching with at least two thirds of the residents of a largest one; "
                    "strong, super: a matching that is stable in that sense, or exit status 1");
  }
  void add_verify_options(CLI::App& command) override {
    add_checked(command, "--stability", stability_, one_of(names_of<hr::Stability>()), "NAME",
                "of lists with ties: in a blocking pair both prefer each other (weak, the default),"
                " one does and the other does not lose (strong), or neither loses (super)");
  }
  std::vector<std::string> given() const override {
    std::vector<std::string> flags;
    for (auto const name : fields_.given()) {
      flags.push_back(FieldArguments<hr::Options>::flag_of(name));
    }
    if (ties_given_ != nullptr && ties_given_->count() > 0) {
      flags.emplace_back("--ties");
    }
    return flags;
  }
  std::span<std::string_view const> shared_options() const override {
    static constexpr std::array<std::string_view, 3> names{"schedule", "tail", "tail_threshold"};
    return names;
  }

  int match(io::SparseMarket const& market, SparseMatchRequest const& request,
            Runtime& runtime) const override {
    auto const options = options_of(market, request.command, request.proposer);
    TieRule const ties = *parse<TieRule>(ties_);
    if (ties != TieRule::broken) {
      require_no_other_options(options, request);
    }
    bool const on_host =
        ties != TieRule::broken || options.mechanism == hr::Mechanism::top_trading_cycles;
    auto const backend = require_backend(!request.backend.empty() ? request.backend
                                         : on_host                ? "host"
                                                                  : "widest");
    auto notes = ties == TieRule::broken ? tie_notes(market, options) : std::vector<std::string>();
    notes.insert(notes.begin(), market.notes.begin(), market.notes.end());
    if (!request.json_report) {
      print_notes(notes);
    }
    runtime.start(request.threads);
    if (auto const why = missing_for_market(backend, options, request.threads); !why.empty()) {
      throw ConfigError(why);
    }
    auto const found = ties == TieRule::broken
                           ? solve_market(backend, request.threads, arrays_of(market), options)
                           : solve_ties(arrays_of(market), ties);
    if (!found) {
      print_none(ties, request.json_report, notes);
      return 1;
    }
    MarketSolution const& solution = *found;
    auto const verdict =
        verify_market(arrays_of(market), solution.hospital_of, 0, stability_of(ties));
    Outcome const outcome{market, options, ties, backend, solution, verdict};
    auto const summary = io::summarize_assignment(market, solution.hospital_of);
    if (request.json_report) {
      print_json_report(outcome, summary, notes);
    } else {
      print_text_report(outcome, summary);
    }
    if (outcome.is_wrong()) {
      return 1;
    }
    io::write_matching(request.output.stream(), market, solution.hospital_of, request.format);
    request.output.commit();
    return 0;
  }

  int match_parts(SparsePartsRequest const& request, Runtime& runtime) const override {
    if (ties_ != to_string(TieRule::broken)) {
      throw ConfigError(fmt::format("--ties {} runs in one process", ties_));
    }
    auto const options = options_of(titles_of_arrays(), request.command, request.proposer);
    return app::match_parts({.market = request.market,
                             .options = request.options,
                             .threads = request.threads,
                             .json_report = request.json_report},
                            options, request.output, request.format, runtime);
  }

  int verify(io::SparseMarket const& market, std::span<std::uint32_t const> hospital_of,
             std::size_t limit, int threads, Runtime& runtime) const override {
    runtime.start(threads);
    auto const stability = *hr::parse<hr::Stability>(stability_);
    auto const verdict = verify_market(arrays_of(market), hospital_of, limit, stability);
    if (!verdict.fault.empty()) {
      fmt::print("not a matching: {}\n", verdict.fault);
      return 1;
    }
    std::vector<io::BlockingPairFacts> facts;
    for (auto const& [resident, hospital] : verdict.first) {
      facts.push_back(io::facts_of_pair(market, hospital_of, resident, hospital));
    }
    auto const assigned = io::summarize_assignment(market, hospital_of).assigned;
    return print_check(market, stability, assigned, verdict.blocking_pairs, facts);
  }

  int verify_parts(SparseCheckRequest const& request, Runtime& runtime) const override {
    return app::verify_parts(
        {.market = request.market, .options = request.options, .threads = request.threads},
        {.matching = request.matching,
         .format = request.format,
         .stability = *hr::parse<hr::Stability>(stability_),
         .limit = request.limit},
        runtime);
  }

 private:
  hr::Options options_of(io::SparseMarket const& market, CLI::App const& command,
                         std::string const& proposer) const {
    hr::Options options;
    fields_.apply_to(options);
    options.proposer = proposer_named(proposer, market);
    take_shared(command, "--schedule", options.schedule);
    take_shared(command, "--tail", options.tail);
    take_shared(command, "--tail-threshold", options.tail_threshold);
    return options;
  }

  /// --ties has no other options.
  void require_no_other_options(hr::Options const& options,
                                SparseMatchRequest const& request) const {
    auto others = given();
    std::erase(others, "--ties");
    for (auto const name : shared_options()) {
      auto const flag = FieldArguments<hr::Options>::flag_of(name);
      auto const* const option = request.command.get_option_no_throw(flag);
      if (option != nullptr && option->count() > 0) {
        others.push_back(flag);
      }
    }
    if (!others.empty()) {
      throw ConfigError(fmt::format("{} has no meaning with --ties {}", others.front(), ties_));
    }
    if (options.proposer == hr::Proposer::hospitals) {
      throw ConfigError(fmt::format("with --ties {} the first side proposes", ties_));
    }
    if (!request.backend.empty() && require_backend(request.backend) != require_backend("host")) {
      throw ConfigError(fmt::format("--ties {} runs on the host; --backend is {}", ties_,
                                    io::in_quotes(request.backend)));
    }
  }

  FieldArguments<hr::Options> fields_;
  std::string ties_ = "broken";
  CLI::Option const* ties_given_ = nullptr;
  std::string stability_ = "weak";
};

}  // namespace

std::string resident_tie_note(io::SparseMarket const& market) {
  return fmt::format("ties in lists of the {} are broken by the order of the file",
                     io::title_of(market, market.first));
}

std::string check_in_words(std::string const& fault, std::uint64_t blocking_pairs,
                           hr::Mechanism mechanism) {
  if (!fault.empty()) {
    return "WRONG     " + fault;
  }
  auto const pairs = counted(blocking_pairs, "blocking pair", "blocking pairs");
  if (mechanism != hr::Mechanism::deferred_acceptance) {
    return fmt::format("verified  a matching; {} ({} need not be stable)",
                       blocking_pairs == 0 ? "no blocking pair" : pairs, to_string(mechanism));
  }
  return blocking_pairs == 0 ? "verified  no blocking pair" : "WRONG     " + pairs;
}

int print_check(io::SparseMarket const& market, hr::Stability stability, std::uint64_t assigned,
                std::uint64_t blocking_pairs, std::span<io::BlockingPairFacts const> pairs) {
  auto const of_all =
      fmt::format("{} of {} assigned", io::grouped(assigned), io::grouped(market.first.count));
  if (blocking_pairs == 0) {
    fmt::print("{}: {}, no blocking pair\n", in_words(stability), of_all);
    return 0;
  }
  fmt::print("not {}: {}, {}\n", in_words(stability), of_all,
             counted(blocking_pairs, "blocking pair", "blocking pairs"));
  io::AgentWords const words(market);
  for (auto const& pair : pairs) {
    fmt::print("  {}\n", io::certificate(market, words, pair));
  }
  if (pairs.size() < blocking_pairs) {
    fmt::print("  and {} more (--limit)\n", io::grouped(blocking_pairs - pairs.size()));
  }
  return 1;
}

std::unique_ptr<SparseMarketSolver> hospitals_residents_solver() {
  return std::make_unique<Solver>();
}

}  // namespace taper::app
