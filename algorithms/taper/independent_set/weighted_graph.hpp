// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/independent_set/options.hpp>
#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::independent_set {

using vertex_cover::branch_and_reduce::none;

/// The weighted graph that the reduction rules rewrite. lift() turns a set of the live graph into a
/// set of the whole.
///
/// Invariant: a set of maximum weight of the live graph, lifted, has maximum weight in the assigned
/// graph; offset() is the difference. Any other independent set, lifted, is independent, and weighs
/// at least its weight and offset(). Live weights are positive.
/// A row drops its dead entries when it is next read. A dead vertex stays dead; the children of a
/// search node copy its live vertices.
/// Used by: WeightedRules, Search, solve_on_host().
class WeightedGraph {
 public:
  /// Starts from a whole graph, without its vertices of weight 0.
  void assign(HostGraph const& graph, std::span<Weight const> weights) {
    auto const n = static_cast<Vertex>(graph.vertices());
    clear(n);
    pool_ = graph.entries;
    weight_.assign(weights.begin(), weights.end());
    for (Vertex v = 0; v < n; ++v) {
      auto const degree = static_cast<std::uint32_t>(graph.degree(v));
      rows_[v] = {graph.offsets[v], degree, degree, degree, true, false, false, false};
    }
    live_ = n;
    edges_ = graph.edges();
    for (Vertex v = 0; v < n; ++v) {
      if (weight_[v] == 0) {
        drop(v);
      }
    }
  }

  /// Starts from the live vertices `part` of another graph, a union of its components, renumbered
  /// in this order. `new_id` is scratch.
  void assign(WeightedGraph& from, std::span<Vertex const> part, std::vector<Vertex>& new_id) {
    auto const n = static_cast<Vertex>(part.size());
    clear(n);
    if (new_id.size() < from.rows_.size()) {
      new_id.resize(from.rows_.size());
    }
    weight_.resize(n);
    for (Vertex v = 0; v < n; ++v) {
      new_id[part[v]] = v;
      weight_[v] = from.weight_[part[v]];
    }
    for (Vertex v = 0; v < n; ++v) {
      auto const row = from.neighbours(part[v]);
      auto const degree = static_cast<std::uint32_t>(row.size());
      rows_[v] = {pool_.size(), degree, degree, degree, true, false, false, false};
      for (Vertex const u : row) {
        pool_.push_back(new_id[u]);
      }
    }
    live_ = n;
    edges_ = pool_.size() / 2;
  }

  /// The number of ids, those of dead vertices included.
  Vertex vertices() const { return static_cast<Vertex>(rows_.size()); }
  std::uint32_t live_vertices() const { return live_; }
  std::uint64_t live_edges() const { return edges_; }
  bool alive(Vertex v) const { return rows_[v].alive; }
  std::uint32_t degree(Vertex v) const { return rows_[v].degree; }
  Weight weight(Vertex v) const { return weight_[v]; }
  Weight offset() const { return offset_; }
  /// The memory that this graph holds.
  std::size_t bytes() const {
    return rows_.capacity() * sizeof(Row) + weight_.capacity() * sizeof(Weight) +
           (pool_.capacity() + journal_.capacity()) * sizeof(Vertex) + in_set_.capacity();
  }

  /// The live neighbours, valid until the next change of the graph. Requires: v is live.
  std::span<Vertex const> neighbours(Vertex v) {
    Row& row = rows_[v];
    Vertex* const first = pool_.data() + row.begin;
    if (row.length != row.degree) {
      auto* const last =
          std::remove_if(first, first + row.length, [&](Vertex u) { return !rows_[u].alive; });
      row.length = static_cast<std::uint32_t>(last - first);
    }
    return {first, row.length};
  }

  /// Whether v weighs at least as much as its neighbours together.
  ///
  /// Cost: the entries up to the weight of v, not the row of a hub.
  bool outweighs_neighbours(Vertex v) {
    Row& row = rows_[v];
    Vertex* const entries = pool_.data() + row.begin;
    Weight left = weight_[v];
    for (std::uint32_t i = 0; i < row.length && left >= 0;) {
      if (!rows_[entries[i]].alive) {
        entries[i] = entries[--row.length];
      } else {
        left -= weight_[entries[i++]];
      }
    }
    return left >= 0;
  }

  /// Requires: u and v are live. Cost: the shorter of the two rows.
  bool adjacent(Vertex u, Vertex v) const {
    if (rows_[u].length > rows_[v].length) {
      std::swap(u, v);
    }
    Vertex const* const first = pool_.data() + rows_[u].begin;
    return std::find(first, first + rows_[u].length, v) != first + rows_[u].length;
  }

  void append_live(std::vector<Vertex>& out) const {
    for (Vertex v = 0; v < vertices(); ++v) {
      if (rows_[v].alive) {
        out.push_back(v);
      }
    }
  }

  /// Decides that v is in the set; its neighbours then are not.
  void take(Vertex v) {
    in_set_[v] = 1;
    offset_ += weight_[v];
    scratch_.assign(neighbours(v).begin(), neighbours(v).end());
    remove(v);
    for (Vertex const u : scratch_) {
      remove(u);
    }
  }

  /// Decides that v is not in the set.
  void drop(Vertex v) { remove(v); }

  /// Removes v and takes its weight from each of its neighbours. A set without a neighbour of v,
  /// lifted, has v.
  ///
  /// Requires: the neighbours of v are a clique, and each is heavier than v.
  void transfer(Vertex v) {
    scratch_.assign(neighbours(v).begin(), neighbours(v).end());
    record(scratch_, {}, std::span(&v, 1));
    offset_ += weight_[v];
    remove(v);
    for (Vertex const u : scratch_) {
      lighten(u, weight_[v]);
    }
  }

  /// Removes `other`, whose weight `kept` then has too: both are in a set, or none is.
  ///
  /// Requires: they are not adjacent, and have the same neighbours.
  void merge(Vertex kept, Vertex other) {
    record(std::span(&kept, 1), std::span(&other, 1), {});
    weight_[kept] += weight_[other];
    remove(other);
    touch(kept);
  }

  /// Contracts the neighbours of `centre` into one of them, and removes it. A set with that one,
  /// lifted, has all neighbours; any other has the centre.
  ///
  /// Requires: the centre has two neighbours or more, no two of which are adjacent. It weighs less
  /// than all of them together, and no less than all but the lightest.
  void fold(Vertex centre) {
    scratch_.assign(neighbours(centre).begin(), neighbours(centre).end());
    std::iter_swap(scratch_.begin(),
                   std::max_element(scratch_.begin(), scratch_.end(), [&](Vertex x, Vertex y) {
                     return rows_[x].degree < rows_[y].degree;
                   }));
    Vertex const kept = scratch_.front();
    auto const others = std::span(scratch_).subspan(1);
    record(std::span(&kept, 1), others, std::span(&centre, 1));
    offset_ += weight_[centre];
    weight_[kept] -= weight_[centre];
    remove(centre);
    for (Vertex const other : others) {
      weight_[kept] += weight_[other];
      contract(other, kept);
    }
    touch(kept);
  }

  /// Removes `centre`, takes its weight from `heavy`, and joins `light` to the neighbours of
  /// `heavy`. A set with `light`, lifted, has `heavy` too; one with neither has the centre.
  ///
  /// Requires: `light` and `heavy` are not adjacent, and are the neighbours of the centre.
  /// weight(light) <= weight(centre) < weight(heavy).
  void fold_towards(Vertex centre, Vertex light, Vertex heavy) {
    record(std::span(&heavy, 1), {}, std::span(&centre, 1));
    record(std::span(&light, 1), std::span(&heavy, 1), {});  // is undone first
    offset_ += weight_[centre];
    remove(centre);
    scratch_.assign(neighbours(heavy).begin(), neighbours(heavy).end());
    for (Vertex const u : scratch_) {
      if (!adjacent(u, light)) {
        append(u, light);
        append(light, u);
        ++rows_[u].degree;
        ++rows_[light].degree;
        ++edges_;
        touch(u);
      }
    }
    lighten(heavy, weight_[centre]);
    touch(light);
  }

  /// The decisions so far, by vertex: 1 if it was taken. The caller marks vertices of the live graph
  /// in a copy before lift().
  std::vector<std::uint8_t> const& in_set() const { return in_set_; }

  /// Undoes the folds, the last one first. `in_set`: a copy of in_set() in which the marked live
  /// vertices are independent.
  void lift(std::span<std::uint8_t> in_set) const {
    for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
      Vertex const* const witnesses = journal_.data() + record->begin;
      Vertex const* const with = witnesses + record->witnesses;
      Vertex const* const without = with + record->with;
      bool const any = std::any_of(witnesses, with, [&](Vertex v) { return in_set[v] != 0; });
      std::for_each(any ? with : without, any ? without : without + record->without,
                    [&](Vertex v) { in_set[v] = 1; });
    }
  }

  /// Removes and returns a live vertex whose surroundings have changed since its last return;
  /// vertices of degree two or less come first. `none` if there is no more.
  Vertex next_touched() {
    Vertex v = none;
    while (v == none && !urgent_.empty()) {
      v = urgent_.back();
      urgent_.pop_back();
      rows_[v].urgent = false;
      v = rows_[v].alive ? v : none;
    }
    while (v == none && next_ < touched_.size()) {
      v = touched_[next_++];
      rows_[v].touched = false;
      v = rows_[v].alive ? v : none;
    }
    if (v == none) {
      touched_.clear();
      next_ = 0;
    } else if (rows_[v].lighter) {
      // Only now: a hub loses weight to many leaves, before it returns.
      rows_[v].lighter = false;
      for (Vertex const u : neighbours(v)) {
        touch(u);
      }
    }
    return v;
  }

  /// Marks v as changed, for next_touched().
  void touch(Vertex v) {
    Row& row = rows_[v];
    if (row.degree <= 2) {
      if (!row.urgent) {
        row.urgent = true;
        urgent_.push_back(v);
      }
    } else if (!row.touched) {
      row.touched = true;
      touched_.push_back(v);
    }
  }

  void touch_all() {
    for (Vertex v = 0; v < vertices(); ++v) {
      if (rows_[v].alive) {
        touch(v);
      }
    }
  }

 private:
  struct Row {
    std::uint64_t begin;
    std::uint32_t capacity;
    std::uint32_t length;  ///< entries, dead ones included
    std::uint32_t degree;
    bool alive;
    bool urgent;   ///< is in urgent_
    bool touched;  ///< is in touched_
    bool lighter;  ///< its weight fell since its last return
  };

  /// One fold, as lengths of its lists in journal_ from `begin` on. If a witness is in the set, the
  /// vertices of `with` are; else those of `without` are. All of these are dead, or are added to the
  /// set by this alone.
  struct Record {
    std::uint64_t begin;
    std::uint32_t witnesses, with, without;
  };

  void clear(Vertex n) {
    rows_.resize(n);
    pool_.clear();
    in_set_.assign(n, 0);
    journal_.clear();
    records_.clear();
    touched_.clear();
    urgent_.clear();
    next_ = 0;
    offset_ = 0;
  }

  void remove(Vertex v) {
    auto const row = neighbours(v);
    rows_[v].alive = false;
    --live_;
    edges_ -= row.size();
    for (Vertex const u : row) {
      --rows_[u].degree;
      touch(u);
    }
  }

  void lighten(Vertex v, Weight by) {
    weight_[v] -= by;
    rows_[v].lighter = true;
    touch(v);
  }

  /// Gives the edges of `other` to `kept`, and removes it. Requires: they are not adjacent.
  void contract(Vertex other, Vertex kept) {
    moved_.assign(neighbours(other).begin(), neighbours(other).end());
    rows_[other].alive = false;
    --live_;
    for (Vertex const u : moved_) {
      if (adjacent(u, kept)) {
        --rows_[u].degree;
        --edges_;
      } else {
        Vertex* const first = pool_.data() + rows_[u].begin;
        *std::find(first, first + rows_[u].length, other) = kept;
        append(kept, u);
        ++rows_[kept].degree;
      }
      touch(u);
    }
  }

  void append(Vertex v, Vertex entry) {
    Row& row = rows_[v];
    if (row.length == row.capacity) {
      neighbours(v);
    }
    // Moves the row when a quarter or less of it is free: with fewer free entries it would be
    // compacted again after every few appends.
    if (row.length >= row.capacity - row.capacity / 4) {
      std::uint64_t const begin = pool_.size();
      row.capacity = 2 * row.capacity + 4;
      pool_.resize(begin + row.capacity);
      std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(row.begin), row.length,
                  pool_.begin() + static_cast<std::ptrdiff_t>(begin));
      row.begin = begin;
    }
    pool_[row.begin + row.length++] = entry;
  }

  void record(std::span<Vertex const> witnesses, std::span<Vertex const> with,
              std::span<Vertex const> without) {
    records_.push_back({journal_.size(), static_cast<std::uint32_t>(witnesses.size()),
                        static_cast<std::uint32_t>(with.size()),
                        static_cast<std::uint32_t>(without.size())});
    for (auto const part : {witnesses, with, without}) {
      journal_.insert(journal_.end(), part.begin(), part.end());
    }
  }

  std::vector<Row> rows_;
  std::vector<Weight> weight_;
  std::vector<Vertex> pool_;  ///< the entries of all rows; a row that grows moves to the end
  std::uint32_t live_ = 0;
  std::uint64_t edges_ = 0;
  Weight offset_ = 0;

  std::vector<std::uint8_t> in_set_;
  std::vector<Vertex> journal_;  ///< the vertices of all records
  std::vector<Record> records_;  ///< the folds, for lift()

  std::vector<Vertex> urgent_;   ///< touched vertices of degree two or less
  std::vector<Vertex> touched_;  ///< the other touched vertices
  std::size_t next_ = 0;         ///< index in touched_ of the next to return

  std::vector<Vertex> scratch_, moved_;
};

}  // namespace taper::independent_set
