// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// The packing constraints of a node: a cover has at most `max_in_cover` of these vertices.
///
/// The search may ignore a cover that violates one: the other branch of the node where the
/// constraint arose has a cover that is no larger, see PackingRule.
/// Used by: Node, PackingRule.
struct Packing {
  struct Constraint {
    std::size_t begin;   ///< index in `members` of its first vertex
    std::uint32_t size;  ///< 0: dropped
    std::uint32_t max_in_cover;
    bool unchecked;  ///< apply() has not checked it since it last changed
  };

  std::vector<Vertex> members;
  std::vector<Constraint> constraints;

  void clear() {
    members.clear();
    constraints.clear();
  }

  void add(std::span<Vertex const> vertices, std::uint32_t max_in_cover) {
    constraints.push_back(
        {members.size(), static_cast<std::uint32_t>(vertices.size()), max_in_cover, true});
    members.insert(members.end(), vertices.begin(), vertices.end());
  }

  /// Copies the constraints of `from` whose vertices all lie in `part`, with new vertex numbers.
  void assign(Packing const& from, std::span<Vertex const> part,
              std::vector<Vertex> const& new_id) {
    clear();
    for (Constraint const& constraint : from.constraints) {
      std::size_t const begin = members.size();
      for (std::uint32_t i = 0; i < constraint.size; ++i) {
        Vertex const v = from.members[constraint.begin + i];
        if (new_id[v] >= part.size() || part[new_id[v]] != v) {
          break;
        }
        members.push_back(new_id[v]);
      }
      if (members.size() - begin == constraint.size && constraint.size > 0) {
        constraints.push_back(
            {begin, constraint.size, constraint.max_in_cover, constraint.unchecked});
      } else {
        members.resize(begin);
      }
    }
  }
};

/// Derives packing constraints and decides vertices with them.
///
/// All constraints have one argument. Assume that a branch searches only for minimum covers, and
/// that the sibling branch has none. Then no cover of the branch can be exchanged for one of equal
/// size that belongs to the sibling. This also holds below the branch, whatever is decided there:
/// reductions keep one of the minimum covers, and a branch needs no more.
///
/// Used by: Search.
/// Source: Akiba and Iwata 2016, section 3.3.
class PackingRule {
 public:
  enum class Effect {
    nothing,
    changed,    ///< vertices have been decided
    infeasible  ///< no cover satisfies the constraints
  };

  /// Adds the constraints of a branch that excludes `vertices`, which its sibling does not. Let w
  /// have exactly one neighbour s among them. If all other neighbours of w were in the cover, w
  /// could be exchanged for s. So at most all but one of w's neighbours outside the neighbourhood
  /// of `vertices` are in the cover. False, infeasible: some w has no such neighbour.
  ///
  /// Requires: no two of the vertices are adjacent; they are live, and excluded only afterwards.
  bool add_for_excluded(ReductionGraph& graph, std::span<Vertex const> vertices, Packing& packing) {
    reached_.reset(graph.vertices());
    members_.reset(graph.vertices());
    if (adjacent_count_.size() < graph.vertices()) {
      adjacent_count_.resize(graph.vertices());
    }
    border_.clear();
    for (Vertex const v : vertices) {
      members_.insert(v);
      for (Vertex const u : graph.neighbours(v)) {
        if (reached_.insert(u)) {
          border_.push_back(u);
          adjacent_count_[u] = 0;
        }
        ++adjacent_count_[u];
      }
    }
    for (Vertex const w : border_) {
      if (adjacent_count_[w] > 1) {
        continue;
      }
      outside_.clear();
      for (Vertex const u : graph.neighbours(w)) {
        if (!members_.contains(u) && !reached_.contains(u)) {
          outside_.push_back(u);
        }
      }
      if (outside_.empty()) {
        return false;
      }
      packing.add(outside_, static_cast<std::uint32_t>(outside_.size()) - 1);
    }
    return true;
  }

  /// Checks each constraint once, against the decisions so far.
  ///
  /// It drops a constraint that always holds, and one with a folded vertex. If none of the
  /// undecided vertices may be in the cover, all are excluded, and add_for_excluded() adds
  /// constraints. A vertex with more neighbours among the undecided than may be in the cover is in
  /// the cover itself.
  Effect apply(ReductionGraph& graph, Packing& packing) {
    Effect effect = Effect::nothing;
    for (std::size_t i = 0; i < packing.constraints.size(); ++i) {
      if (!update(graph, packing, packing.constraints[i])) {
        return Effect::infeasible;
      }
      auto const [begin, size, max_in_cover, unchecked] = packing.constraints[i];
      if (size == 0 || !unchecked) {
        continue;
      }
      packing.constraints[i].unchecked = false;
      undecided_.assign(packing.members.begin() + static_cast<std::ptrdiff_t>(begin),
                        packing.members.begin() + static_cast<std::ptrdiff_t>(begin + size));
      if (max_in_cover == 0) {
        packing.constraints[i].size = 0;
        if (!is_independent(graph) || !add_for_excluded(graph, undecided_, packing)) {
          return Effect::infeasible;
        }
        for (Vertex const v : undecided_) {
          graph.exclude(v);
        }
        effect = Effect::changed;
      } else if (include_forced(graph, max_in_cover)) {
        effect = Effect::changed;
      }
    }
    std::erase_if(packing.constraints, [](auto const& constraint) { return constraint.size == 0; });
    return effect;
  }

 private:
  /// Reduces a constraint to its undecided vertices. False: it is violated.
  static bool update(ReductionGraph const& graph, Packing& packing,
                     Packing::Constraint& constraint) {
    Vertex* const members = packing.members.data() + constraint.begin;
    std::uint32_t undecided = 0;
    std::uint32_t in_cover_count = 0;
    bool intact = true;
    for (std::uint32_t i = 0; i < constraint.size; ++i) {
      Vertex const v = members[i];
      if (graph.alive(v)) {
        members[undecided++] = v;
      } else {
        intact = intact && !graph.folded(v);
        in_cover_count += graph.in_cover()[v];
      }
    }
    constraint.unchecked = constraint.unchecked || undecided < constraint.size;
    if (!intact || undecided + in_cover_count <= constraint.max_in_cover) {
      constraint.size = 0;
      return true;
    }
    if (in_cover_count > constraint.max_in_cover) {
      return false;
    }
    constraint.size = undecided;
    constraint.max_in_cover -= in_cover_count;
    return true;
  }

  bool is_independent(ReductionGraph& graph) {
    members_.reset(graph.vertices());
    for (Vertex const v : undecided_) {
      members_.insert(v);
    }
    for (Vertex const v : undecided_) {
      for (Vertex const u : graph.neighbours(v)) {
        if (members_.contains(u)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Includes each vertex with more than `max_in_cover` neighbours in undecided_: if it were
  /// outside, they would all be in the cover. False if there is none.
  bool include_forced(ReductionGraph& graph, std::uint32_t max_in_cover) {
    reached_.reset(graph.vertices());
    if (adjacent_count_.size() < graph.vertices()) {
      adjacent_count_.resize(graph.vertices());
    }
    forced_.clear();
    for (Vertex const v : undecided_) {
      for (Vertex const u : graph.neighbours(v)) {
        if (reached_.insert(u)) {
          adjacent_count_[u] = 0;
        }
        if (++adjacent_count_[u] == max_in_cover + 1) {
          forced_.push_back(u);
        }
      }
    }
    for (Vertex const u : forced_) {
      graph.include(u);
    }
    return !forced_.empty();
  }

  VertexSet members_;  ///< the excluded vertices, or those of one constraint
  VertexSet reached_;  ///< their neighbours
  std::vector<std::uint32_t> adjacent_count_;  ///< by vertex of reached_: its neighbours in the set
  std::vector<Vertex> border_, outside_, undecided_, forced_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
