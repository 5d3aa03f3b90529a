// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/live_graph.hpp>
#include <taper/vertex_cover/branch_and_reduce/subproblem.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// The graph that the reduction rules rewrite. A decision removes its vertex, a fold merges
/// vertices, and lift() turns a cover of the live graph into a cover of the whole.
///
/// Invariant: a minimum cover of the live graph, lifted, is a minimum cover of the assigned graph,
/// with cover_size() more vertices.
/// Used by: Node, and every rule and bound of this folder.
class ReductionGraph : public LiveGraph {
 public:
  /// Starts from a whole graph.
  void assign(HostGraph const& graph) {
    assign_rows(graph);
    clear_cover();
  }

  /// Starts from the live vertices `part` of another graph: see assign_rows().
  void assign(ReductionGraph& from, std::span<Vertex const> part, std::vector<Vertex>& new_id) {
    assign_rows(from, part, new_id);
    clear_cover();
  }

  /// Starts from the graph of a subproblem, before its branch.
  void assign(Subproblem const& part) {
    assign_rows(part.vertices, part.live, part.degrees, part.neighbours);
    clear_cover();
    for (Vertex const v : part.included) {
      in_cover_[v] = 1;
    }
    cover_size_ = part.cover_size;
    for (std::span<Vertex const> rest(part.folds); !rest.empty();) {
      auto const lengths = rest.first(3);
      auto const witnesses = rest.subspan(3, lengths[0]);
      auto const first = rest.subspan(3 + lengths[0], lengths[1]);
      auto const second = rest.subspan(3 + lengths[0] + lengths[1], lengths[2]);
      record(witnesses, {first, {}}, {second, {}});
      rest = rest.subspan(3 + lengths[0] + lengths[1] + lengths[2]);
    }
  }

  /// Appends the decisions and folds to those of a subproblem. `number`, by vertex: its number
  /// there.
  void append_decisions(std::span<Vertex const> number, Subproblem& part) const {
    for (Vertex v = 0; v < vertices(); ++v) {
      if (!alive(v) && !folded(v) && in_cover_[v] != 0) {
        part.included.push_back(number[v]);
      }
    }
    for_each_fold([&](auto witnesses, auto first, auto second) {
      for (auto const list : {witnesses, first, second}) {
        part.folds.push_back(static_cast<std::uint32_t>(list.size()));
      }
      for (auto const list : {witnesses, first, second}) {
        for (Vertex const v : list) {
          part.folds.push_back(number[v]);
        }
      }
    });
  }

  /// Appends the rows of the live vertices to those of a subproblem.
  void append_rows(std::span<Vertex const> number, Subproblem& part) {
    for (Vertex v = 0; v < vertices(); ++v) {
      if (alive(v)) {
        part.live.push_back(number[v]);
        part.degrees.push_back(degree(v));
        for (Vertex const u : neighbours(v)) {
          part.neighbours.push_back(number[u]);
        }
      }
    }
  }

  /// Of a dead vertex: whether a fold removed it, so that only lift() decides it.
  bool folded(Vertex v) const { return flag(v); }

  /// The vertices that the decisions and folds so far add to a cover of the live graph.
  std::uint32_t cover_size() const { return cover_size_; }

  /// Decides that v is in the cover.
  void include(Vertex v) {
    in_cover_[v] = 1;
    ++cover_size_;
    remove(v);
  }

  /// Decides that v is not in the cover; its neighbours then are.
  void exclude(Vertex v) {
    in_cover_[v] = 0;
    scratch_.assign(neighbours(v).begin(), neighbours(v).end());
    remove(v);
    for (Vertex const u : scratch_) {
      include(u);
    }
  }

  /// Folds: removes `centres` and contracts `others` into `kept`, which then represents all of
  /// them. A cover with `kept`, lifted, has `kept` and `others`; one without has the centres
  /// instead.
  ///
  /// Requires: |centres| = |others|; `kept` and `others` are not adjacent to each other and are the
  /// only neighbours of each centre.
  /// Cost: the rows of the others and of their neighbours, independent of the row of `kept`.
  void fold(std::span<Vertex const> centres, Vertex kept, std::span<Vertex const> others) {
    record(std::span(&kept, 1), {std::span(&kept, 1), others}, {centres, {}});
    cover_size_ += static_cast<std::uint32_t>(centres.size());
    for (Vertex const centre : centres) {
      remove(centre);
      set_flag(centre, true);
    }
    for (Vertex const other : others) {
      contract(other, kept);
      set_flag(other, true);
    }
    touch(kept);
  }

  /// Resolves two alternatives: removes the sets a and b, includes their common neighbours, and
  /// joins each other neighbour of a to each other neighbour of b. A cover with all other
  /// neighbours of b, lifted, has a; every other cover has b.
  ///
  /// Requires: |a| = |b|; a and b are independent sets; every vertex of one is adjacent to one of
  /// the other; some minimum cover contains exactly one of the two sets.
  /// Source: Xiao and Nagamochi 2013; Akiba and Iwata 2016, section 3.1.
  void join_alternatives(std::span<Vertex const> a, std::span<Vertex const> b) {
    seen_.reset(vertices());
    collect_outside(a, b, outside_a_);
    collect_outside(b, a, outside_b_);
    seen_.reset(vertices());
    for (Vertex const u : outside_a_) {
      seen_.insert(u);
    }
    auto const is_common = [&](Vertex u) { return seen_.contains(u); };
    common_.clear();
    std::copy_if(outside_b_.begin(), outside_b_.end(), std::back_inserter(common_), is_common);
    for (Vertex const u : common_) {
      include(u);
    }
    auto const dead = [&](Vertex u) { return !alive(u); };
    std::erase_if(outside_a_, dead);
    std::erase_if(outside_b_, dead);

    record(outside_b_, {a, {}}, {b, {}});
    cover_size_ += static_cast<std::uint32_t>(a.size());
    for (auto const side : {a, b}) {
      for (Vertex const v : side) {
        remove(v);
        set_flag(v, true);
      }
    }
    for (Vertex const u : outside_a_) {
      seen_.reset(vertices());
      for (Vertex const w : neighbours(u)) {
        seen_.insert(w);
      }
      for (Vertex const w : outside_b_) {
        if (!seen_.contains(w)) {
          join(u, w);
        }
      }
    }
    for (auto const* side : {&outside_a_, &outside_b_}) {
      for (Vertex const u : *side) {
        touch(u);
      }
    }
  }

  /// The decisions so far, by vertex. The caller sets the entries of live vertices before lift().
  std::vector<std::uint8_t> const& in_cover() const { return in_cover_; }

  /// Undoes the folds, the last one first: if all witnesses are in the cover, the vertices of the
  /// first list are in it and those of the second are not; else the reverse. `in_cover`: a copy of
  /// in_cover() in which the entries of the live vertices are a cover of the live graph. Afterwards
  /// it is a cover of the whole graph.
  void lift(std::span<std::uint8_t> in_cover) const {
    undo_folds([&](auto witnesses, auto first, auto second) {
      bool const covered = std::all_of(witnesses.begin(), witnesses.end(),
                                       [&](Vertex v) { return in_cover[v] != 0; });
      std::for_each(first.begin(), first.end(), [&](Vertex v) { in_cover[v] = covered ? 1 : 0; });
      std::for_each(second.begin(), second.end(), [&](Vertex v) { in_cover[v] = covered ? 0 : 1; });
    });
  }

 private:
  void clear_cover() {
    in_cover_.assign(vertices(), 0);
    cover_size_ = 0;
  }

  /// Sets `out` to the neighbours of `inner` that are not in `outer`, each once.
  void collect_outside(std::span<Vertex const> inner, std::span<Vertex const> outer,
                       std::vector<Vertex>& out) {
    seen_.reset(vertices());
    out.clear();
    for (Vertex const v : outer) {
      seen_.insert(v);
    }
    for (Vertex const v : inner) {
      for (Vertex const u : neighbours(v)) {
        if (seen_.insert(u)) {
          out.push_back(u);
        }
      }
    }
  }

  std::uint32_t cover_size_ = 0;
  std::vector<std::uint8_t> in_cover_;
  VertexSet seen_;
  std::vector<Vertex> scratch_, outside_a_, outside_b_, common_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
