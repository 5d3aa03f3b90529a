// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/vertex_set.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace taper::vertex_cover::paper {

/// A graph of at most VertexSet::room vertices, and what its search needs beside registers.
template <unsigned Words>
struct SmallGraph {
  using Set = VertexSet<Words>;
  static constexpr std::uint32_t room = Set::room;

  /// A node whose second branch, with the vertex, is still to be visited.
  struct Branch {
    Set live;
    std::uint32_t vertex;
    std::uint32_t cover;
  };
  /// A component, while one of the parts that it fell into is solved on its own.
  struct Parted {
    Set own;         ///< its vertices
    Set best_cover;  ///< see SmallSearch
    Set unseen;      ///< live vertices whose part has not been looked for
    Set largest;     ///< of the parts found so far; solved at last
    std::uint32_t cover;
    std::uint32_t best;
    std::uint32_t branches;
    std::uint32_t parts;
  };
  // A branch waits only while the other one, without the vertex and its neighbours, at least two, is
  // visited.
  static constexpr std::uint32_t branches_room = room / 3 + 1;
  // The largest part is solved at last, so that one in which others are nested has at most half of
  // what fell apart, and falls apart without a vertex at least; what the rules leave of less than
  // eight vertices does not. 128, 63, 30, 14.
  static constexpr std::uint32_t parted_room = std::bit_width(room) - 4;

  Set rows[room];  ///< who is adjacent to whom
  Branch branches[branches_room];
  Parted parted[parted_room];
  // What a search has found.
  Set cover;           ///< empty: no cover that is small enough
  std::uint32_t size;  ///< of the cover
  std::uint32_t nodes;
  std::uint32_t splits;
};

/// What others wish of who searches a small graph.
enum class Wish : std::uint32_t { none, share, leave };

/// The search of a SmallGraph to its end, by the lanes of one warp, or by a host's thread: a lane looks
/// at a vertex or two, and what all of them find is a set that each lane has in its registers. The same
/// rules in the same order as for larger graphs.
///
/// Parts are solved one after the other, the largest at last and as what remains of the node itself, so
/// that each may take no more than the others have left. From time to time, if somebody is idle, the
/// oldest branch of the whole graph that waits is given away, and the best cover known is looked up.
/// Equivalent to: Algorithm 2.
template <ExecutionSpace Exec, unsigned Words>
class SmallSearch {
 public:
  using Graph = SmallGraph<Words>;
  using Set = typename Graph::Set;

  /// Called by all lanes together. `others` work at the same larger graph:
  ///   visited(nodes)   so many nodes more are done; says what others wish. By one lane.
  ///   fell_apart(parts)  a node fell into so many parts. By one lane.
  ///   best()           covers of less than so many vertices are still looked for. By one lane.
  ///   give(lane, branch, taken)  whether they take over a branch, below which `taken` are taken; without
  ///                    a vertex, that is all that is left of a node. By all lanes.
  template <class Others>
  KOKKOS_FUNCTION static void run(Graph& graph, std::uint32_t lane, std::uint32_t vertices,
                                  std::uint32_t best, bool components, Others const& others) {
    SmallSearch search{graph, lane, components, Set::first_of_all(vertices), best};
    search.explore(others);
    if (lane == 0) {
      others.visited(search.nodes_ % nodes_a_look);
      graph.cover = search.best_cover_;
      graph.size = search.best_;
      graph.nodes = search.nodes_;
      graph.splits = search.splits_;
    }
  }

 private:
  using Warp = Lanes<Exec>;
  enum class Verdict { hopeless, covered, open };

  struct Survey {
    std::uint32_t top;  ///< the greatest degree, and under it the complement of its first vertex
    std::uint32_t degrees;
    KOKKOS_FUNCTION std::uint32_t top_degree() const { return top >> 8; }
    KOKKOS_FUNCTION std::uint32_t top_vertex() const { return ~top & 0xFF; }
  };
  static_assert(Set::room <= 256);
  static constexpr std::uint32_t nodes_a_look = 32;

  KOKKOS_FUNCTION SmallSearch(Graph& graph, std::uint32_t lane, bool components, Set const& all,
                              std::uint32_t best)
      : graph_(graph), lane_(lane), components_(components), live_(all), taken_(Set::none()),
        cover_(0), touched_(all), own_(all), best_cover_(Set::none()), best_(best) {}

  /// `what` for the lane's share of a set.
  template <class Do>
  KOKKOS_FUNCTION void each_of(Set const& set, Do const& what) const {
    if constexpr (Warp::count == 1) {
      for (unsigned i = 0; i < Words; ++i) {
        for (std::uint64_t left = set.word[i]; left != 0; left &= left - 1) {
          what(64 * i +
               static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(left)));
        }
      }
    } else {
      for (unsigned i = 0; i < Set::room / Warp::count; ++i) {
        if ((set.word[i / 2] >> (i % 2 * 32 + lane_) & 1) != 0) {
          what(i * Warp::count + lane_);
        }
      }
    }
  }

  /// Those of a set that fulfil a condition.
  template <class Condition>
  KOKKOS_FUNCTION Set those_of(Set const& set, Condition const& holds) const {
    Set found = Set::none();
    if constexpr (Warp::count == 1) {
      each_of(set, [&](std::uint32_t v) {
        if (holds(v)) {
          found.insert(v);
        }
      });
    } else {
      for (unsigned i = 0; i < Set::room / Warp::count; ++i) {
        bool const in = (set.word[i / 2] >> (i % 2 * 32 + lane_) & 1) != 0;
        std::uint64_t const bits = Warp::flags(in && holds(i * Warp::count + lane_));
        found.word[i / 2] |= bits << i % 2 * 32;
      }
    }
    return found;
  }

  /// The union of the lanes' sets.
  KOKKOS_FUNCTION static Set together(Set set) {
    if constexpr (Warp::count > 1) {
      for (std::uint64_t& word : set.word) {
        std::uint64_t const low = Warp::or_of(static_cast<std::uint32_t>(word));
        std::uint64_t const high = Warp::or_of(static_cast<std::uint32_t>(word >> 32));
        word = high << 32 | low;
      }
    }
    return set;
  }

  KOKKOS_FUNCTION Set neighbours(std::uint32_t v) const { return graph_.rows[v] & live_; }

  template <class Others>
  KOKKOS_FUNCTION void explore(Others const& others) {
    bool connected = false;
    for (;;) {
      if (++nodes_ % nodes_a_look == 0 && look_around(others)) {
        return;
      }
      Survey survey;
      Verdict verdict = reduce(survey);
      if (verdict == Verdict::open && components_ && !connected) {
        if (!(live_ - reached_from(survey.top_vertex())).empty()) {
          begin_parts();
          verdict = next_part(connected, others);
          if (verdict == Verdict::open) {
            continue;
          }
        } else if (is_solved_at_once(survey.degrees, live_.size())) {
          solve_at_once(live_, survey.degrees);
          verdict = cover_ < best_ ? Verdict::covered : Verdict::hopeless;
        }
      }
      if (verdict == Verdict::open) {
        branch(survey.top_vertex());
        connected = false;
        continue;
      }
      for (;;) {
        if (verdict == Verdict::covered) {
          best_ = cover_;
          best_cover_ = taken_ & own_;
        }
        if (branches_ > first_branch()) {
          second_branch();
          connected = false;
          break;
        }
        if (parted_ == 0) {
          return;
        }
        verdict = end_part() ? next_part(connected, others) : Verdict::hopeless;
        if (verdict == Verdict::open) {
          break;
        }
      }
    }
  }

  KOKKOS_FUNCTION void take(Set const& vertices) {
    taken_ |= vertices;
    live_ -= vertices;
    cover_ += vertices.size();
    touched_ |= beside(vertices);
  }

  /// Who is adjacent to one of them.
  KOKKOS_FUNCTION Set beside(Set const& vertices) const {
    Set found = Set::none();
    each_of(vertices, [&](std::uint32_t v) { found |= graph_.rows[v]; });
    return together(found);
  }

  /// The reductions at a node, to their fixpoint, and the stopping conditions.
  KOKKOS_FUNCTION Verdict reduce(Survey& survey) {
    for (;;) {
      reduce_touched();
      if (cover_ >= best_) {
        return Verdict::hopeless;
      }
      survey = look();
      if (survey.degrees == 0) {
        return Verdict::covered;
      }
      std::uint32_t const budget = best_ - cover_ - 1;
      if (survey.degrees / 2 > budget * survey.top_degree()) {
        return Verdict::hopeless;
      }
      if (survey.top_degree() <= budget) {
        return Verdict::open;
      }
      take(those_of(live_, [&](std::uint32_t v) { return neighbours(v).size() > budget; }));
    }
  }

  /// The degree-one and the degree-two triangle rule, until they apply no more, or the cover is too
  /// large anyhow. To vertices that have lost no edge they did not apply before.
  KOKKOS_FUNCTION void reduce_touched() {
    while (cover_ < best_) {
      Set const simple =
          those_of(touched_ & live_, [&](std::uint32_t v) { return neighbours(v).size() - 1 < 2; });
      touched_ = Set::none();
      Set const around = simple.empty() ? simple : around_simple(simple);
      if (around.empty()) {
        return;
      }
      take(around);
    }
  }

  /// Drops vertices without edges.
  KOKKOS_FUNCTION Survey look() {
    std::uint32_t top = 0;
    std::uint32_t degrees = 0;
    live_ = those_of(live_, [&](std::uint32_t v) {
      std::uint32_t const degree = neighbours(v).size();
      if (degree != 0) {
        top = Kokkos::max(top, degree << 8 | (~v & 0xFF));
      }
      degrees += degree;
      return degree != 0;
    });
    return {Warp::max_of(top), Warp::sum_of(degrees)};
  }

  /// Whom the two rules take for all of these to which they apply; see Board::reduce_candidates().
  KOKKOS_FUNCTION Set around_simple(Set const& simple) const {
    Set around = Set::none();
    if (simple.empty()) {
      return around;
    }
    each_of(simple, [&](std::uint32_t v) {
      Set const beside = neighbours(v);
      std::uint32_t const u = beside.first();
      std::uint32_t const w = beside.last();
      std::uint32_t const degree = u == w ? 1 : 2;
      auto const goes_before = [&](std::uint32_t x) {
        return x < v && simple.has(x) && neighbours(x).size() == degree;
      };
      if ((degree == 1 || graph_.rows[u].has(w)) && !goes_before(u) && !goes_before(w)) {
        around |= beside;
      }
    });
    return together(around);
  }

  KOKKOS_FUNCTION Set reached_from(std::uint32_t start) const {
    Set reached = Set::none();
    reached.insert(start);
    Set fresh = neighbours(start);
    while (!fresh.empty()) {
      reached |= fresh;
      fresh = (beside(fresh) & live_) - reached;
    }
    return reached;
  }

  KOKKOS_FUNCTION std::uint32_t degrees_of(Set const& part) const {
    std::uint32_t sum = 0;
    each_of(part, [&](std::uint32_t v) { sum += neighbours(v).size(); });
    return Warp::sum_of(sum);
  }

  /// Connected graphs whose degrees are 2 and more: cliques and chordless cycles.
  KOKKOS_FUNCTION static bool is_solved_at_once(std::uint32_t degrees, std::uint32_t size) {
    return degrees == size * (size - 1) || degrees == size * 2;
  }

  KOKKOS_FUNCTION void solve_at_once(Set part, std::uint32_t degrees) {
    if (degrees == 2 * part.size() && part.size() > 3) {
      Set const others = live_ - part;
      Set start = Set::none();
      start.insert(part.first());
      live_ = part;
      take(start);
      reduce_touched();
      live_ = others;
    } else {
      live_ -= part;
      part.remove(part.first());
      taken_ |= part;
      cover_ += part.size();
    }
  }

  // Branches.

  KOKKOS_FUNCTION std::uint32_t first_branch() const {
    return parted_ == 0 ? given_ : graph_.parted[parted_ - 1].branches;
  }

  KOKKOS_FUNCTION void branch(std::uint32_t vertex) {
    if (lane_ == 0) {
      graph_.branches[branches_] = {live_, vertex, cover_};
    }
    ++branches_;
    Warp::sync();
    Set const around = neighbours(vertex);
    live_.remove(vertex);
    take(around);
  }

  KOKKOS_FUNCTION void second_branch() {
    typename Graph::Branch const& waiting = graph_.branches[--branches_];
    live_ = waiting.live;
    cover_ = waiting.cover + 1;
    taken_ -= live_;  // nothing of it had been taken
    live_.remove(waiting.vertex);
    taken_.insert(waiting.vertex);
    touched_ = graph_.rows[waiting.vertex];
    Warp::sync();
  }

  // Others.

  /// Gives away of the whole graph's branches that wait the oldest, or all and the node itself, as they
  /// wish, and prunes with what they have found. True: nothing is left. A part is solved first, since
  /// what has been done for it would be lost.
  template <class Others>
  KOKKOS_FUNCTION bool look_around(Others const& others) {
    auto const wish = static_cast<Wish>(
        Warp::from(0, lane_ == 0 ? static_cast<std::uint32_t>(others.visited(nodes_a_look)) : 0u));
    if (wish == Wish::none) {
      return false;
    }
    std::uint32_t const waiting = parted_ == 0 ? branches_ : graph_.parted[0].branches;
    while (given_ < waiting && give(others, graph_.branches[given_])) {
      ++given_;
      if (wish == Wish::share) {
        break;
      }
    }
    if (parted_ > 0) {
      return false;
    }
    std::uint32_t const best = Warp::from(0, lane_ == 0 ? others.best() : 0);
    if (best < best_) {
      best_ = best;
      best_cover_ = Set::none();
    }
    return wish == Wish::leave && given_ == waiting && give(others, {live_, nothing, cover_});
  }

  template <class Others>
  KOKKOS_FUNCTION bool give(Others const& others, typename Graph::Branch const& branch) const {
    return others.give(lane_, branch, taken_ - branch.live);  // nothing of it had been taken
  }

  // Parts.

  /// The node falls apart.
  KOKKOS_FUNCTION void begin_parts() {
    if (lane_ == 0) {
      graph_.parted[parted_] = {own_, best_cover_, live_, Set::none(), cover_, best_, branches_, 0};
    }
    ++parted_;
    Warp::sync();
  }

  /// The part is solved: `true` and its cover is taken; or it needs more than the others have left.
  KOKKOS_FUNCTION bool end_part() {
    typename Graph::Parted const& parent = graph_.parted[parted_ - 1];
    bool const found = !best_cover_.empty();
    taken_ -= own_;
    cover_ = parent.cover;
    if (found) {
      taken_ |= best_cover_;
      cover_ += best_;
    } else {
      --parted_;
    }
    own_ = parent.own;
    best_cover_ = parent.best_cover;
    best_ = parent.best;
    Warp::sync();
    return found;
  }

  /// Looks for further parts, and goes on to the smaller one of two that have to be searched, or at last
  /// to the largest as what is left of the node. open: that is on hand now.
  template <class Others>
  KOKKOS_FUNCTION Verdict next_part(bool& connected, Others const& others) {
    typename Graph::Parted& parent = graph_.parted[parted_ - 1];
    Set unseen = parent.unseen;
    Set largest = parent.largest;
    std::uint32_t parts = parent.parts;
    Set next = Set::none();
    while (!unseen.empty() && next.empty()) {
      live_ = unseen;
      Set part = reached_from(unseen.first());
      unseen -= part;
      ++parts;
      std::uint32_t const size = part.size();
      std::uint32_t const degrees = degrees_of(part);
      if (is_solved_at_once(degrees, size)) {
        live_ = part;
        solve_at_once(part, degrees);
      } else if (size <= largest.size()) {
        next = part;
      } else {
        next = largest;
        largest = part;
      }
    }
    Warp::sync();
    if (next.empty() || cover_ >= best_) {
      --parted_;
      ++splits_;
      if (lane_ == 0) {
        others.fell_apart(parts);
      }
      live_ = largest;
      connected = true;
      return cover_ >= best_   ? Verdict::hopeless
             : largest.empty() ? Verdict::covered
                               : Verdict::open;
    }
    if (lane_ == 0) {
      parent.unseen = unseen;
      parent.largest = largest;
      parent.cover = cover_;
      parent.parts = parts;
    }
    Warp::sync();
    // All its vertices but one are a cover.
    std::uint32_t const left = best_ - cover_;
    std::uint32_t const trivial = next.size() - 1;
    live_ = next;
    own_ = next;
    cover_ = 0;
    best_cover_ = Set::none();
    best_ = left;
    if (trivial < left) {
      best_ = trivial;
      best_cover_ = next;
      best_cover_.remove(next.first());
    }
    touched_ = Set::none();
    connected = true;
    return Verdict::open;
  }

  Graph& graph_;
  std::uint32_t const lane_;
  bool const components_;
  // The node.
  Set live_;
  Set taken_;            ///< by it and, in other parts, by all above it
  std::uint32_t cover_;  ///< how many of these are in the component
  Set touched_;          ///< who has lost an edge since the rules were applied, and others
  // The component of which it is a node.
  Set own_;
  Set best_cover_;      ///< empty: none that is smaller than `best_`
  std::uint32_t best_;  ///< smaller ones are looked for
  std::uint32_t branches_ = 0;
  std::uint32_t given_ = 0;  ///< of the first branches, those that others have got
  std::uint32_t parted_ = 0;
  std::uint32_t nodes_ = 0;
  std::uint32_t splits_ = 0;
};

}  // namespace taper::vertex_cover::paper
