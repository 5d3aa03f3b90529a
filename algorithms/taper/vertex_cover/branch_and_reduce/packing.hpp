// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/standard/reduction_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::vertex_cover::standard {

/// Constraints on the covers that are looked for: of these vertices at most so many are in it.
///
/// A cover that breaks one is no loss: the other branch of the node where the constraint arose has
/// one that is no larger, see PackingRule.
struct Packing {
  struct Constraint {
    std::size_t begin;   ///< of its vertices in `members`
    std::uint32_t size;  ///< 0: it says nothing any more
    std::uint32_t most;
    bool fresh;  ///< has not been gone through as it is
  };

  std::vector<Vertex> members;
  std::vector<Constraint> constraints;

  void clear() {
    members.clear();
    constraints.clear();
  }

  void add(std::span<Vertex const> vertices, std::uint32_t most) {
    constraints.push_back(
        {members.size(), static_cast<std::uint32_t>(vertices.size()), most, true});
    members.insert(members.end(), vertices.begin(), vertices.end());
  }

  /// Those of another one that lie wholly in `part`, whose vertices have new numbers.
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
        constraints.push_back({begin, constraint.size, constraint.most, constraint.fresh});
      } else {
        members.resize(begin);
      }
    }
  }
};

/// Where constraints come from, and what they decide.
///
/// All are of one kind. Let every cover that is looked for be smallest, and the sibling branch have
/// none that is as small. Then none of them can be exchanged for one of its size that belongs to the
/// sibling, and this is so below the branch as well, whatever else is decided there: reductions keep
/// one of the smallest covers, which is all that a branch needs.
/// Source: Akiba and Iwata 2016, section 3.3.
class PackingRule {
 public:
  enum class Effect {
    nothing,
    changed,  ///< vertices have been decided
    hopeless  ///< no cover that is looked for is left
  };

  /// Vertices that all covers looked for leave out: a neighbour w of one alone of them, s, could be
  /// exchanged for s, if all other neighbours of w were in the cover. False: they are, for some w.
  ///
  /// Requires that no two of the vertices are adjacent, and that they are still to be excluded.
  bool leave_out(ReductionGraph& graph, std::span<Vertex const> vertices, Packing& packing) {
    beside_.reset(graph.vertices());
    inside_.reset(graph.vertices());
    if (touching_.size() < graph.vertices()) {
      touching_.resize(graph.vertices());
    }
    border_.clear();
    for (Vertex const v : vertices) {
      inside_.insert(v);
      for (Vertex const u : graph.neighbours(v)) {
        if (beside_.insert(u)) {
          border_.push_back(u);
          touching_[u] = 0;
        }
        ++touching_[u];
      }
    }
    for (Vertex const w : border_) {
      if (touching_[w] > 1) {
        continue;
      }
      outside_.clear();
      for (Vertex const u : graph.neighbours(w)) {
        if (!inside_.contains(u) && !beside_.contains(u)) {
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

  /// Goes through all constraints once.
  ///
  /// One that is met whatever follows is dropped, and so is one of whose vertices a fold has
  /// rewritten. Where none of the rest may be in the cover, all are excluded, and leave_out() adds
  /// constraints; who has more neighbours among the rest than may be in the cover is in it himself.
  Effect apply(ReductionGraph& graph, Packing& packing) {
    Effect effect = Effect::nothing;
    for (std::size_t i = 0; i < packing.constraints.size(); ++i) {
      if (!bring_up_to_date(graph, packing, packing.constraints[i])) {
        return Effect::hopeless;
      }
      auto const [begin, size, most, fresh] = packing.constraints[i];
      if (size == 0 || !fresh) {
        continue;
      }
      packing.constraints[i].fresh = false;
      rest_.assign(packing.members.begin() + static_cast<std::ptrdiff_t>(begin),
                   packing.members.begin() + static_cast<std::ptrdiff_t>(begin + size));
      if (most == 0) {
        packing.constraints[i].size = 0;
        if (!is_independent(graph) || !leave_out(graph, rest_, packing)) {
          return Effect::hopeless;
        }
        for (Vertex const v : rest_) {
          graph.exclude(v);
        }
        effect = Effect::changed;
      } else if (include_crowded(graph, most)) {
        effect = Effect::changed;
      }
    }
    std::erase_if(packing.constraints, [](auto const& constraint) { return constraint.size == 0; });
    return effect;
  }

 private:
  /// Of its vertices those stay that are undecided. False: it is broken.
  static bool bring_up_to_date(ReductionGraph const& graph, Packing& packing,
                               Packing::Constraint& constraint) {
    Vertex* const members = packing.members.data() + constraint.begin;
    std::uint32_t left = 0;
    std::uint32_t taken = 0;
    bool known = true;
    for (std::uint32_t i = 0; i < constraint.size; ++i) {
      Vertex const v = members[i];
      if (graph.alive(v)) {
        members[left++] = v;
      } else {
        known = known && !graph.folded(v);
        taken += graph.in_cover()[v];
      }
    }
    constraint.fresh = constraint.fresh || left < constraint.size;
    if (!known || left + taken <= constraint.most) {
      constraint.size = 0;
      return true;
    }
    if (taken > constraint.most) {
      return false;
    }
    constraint.size = left;
    constraint.most -= taken;
    return true;
  }

  bool is_independent(ReductionGraph& graph) {
    inside_.reset(graph.vertices());
    for (Vertex const v : rest_) {
      inside_.insert(v);
    }
    for (Vertex const v : rest_) {
      for (Vertex const u : graph.neighbours(v)) {
        if (inside_.contains(u)) {
          return false;
        }
      }
    }
    return true;
  }

  bool include_crowded(ReductionGraph& graph, std::uint32_t most) {
    beside_.reset(graph.vertices());
    if (touching_.size() < graph.vertices()) {
      touching_.resize(graph.vertices());
    }
    crowded_.clear();
    for (Vertex const v : rest_) {
      for (Vertex const u : graph.neighbours(v)) {
        if (beside_.insert(u)) {
          touching_[u] = 0;
        }
        if (++touching_[u] == most + 1) {
          crowded_.push_back(u);
        }
      }
    }
    for (Vertex const u : crowded_) {
      graph.include(u);
    }
    return !crowded_.empty();
  }

  VertexSet inside_, beside_;
  std::vector<std::uint32_t>
      touching_;  ///< of who is in beside_: how many of the vertices he is beside
  std::vector<Vertex> border_, outside_, rest_, crowded_;
};

}  // namespace taper::vertex_cover::standard
