// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

inline constexpr Vertex none = std::numeric_limits<Vertex>::max();

/// A set of vertices that can be emptied in constant time: each reset() starts a new stamp.
class VertexSet {
 public:
  /// Empties the set and makes room for ids below n.
  void reset(std::size_t n) {
    if (stamp_.size() < n) {
      stamp_.resize(n, 0);
    }
    if (++current_stamp_ == 0) {
      std::fill(stamp_.begin(), stamp_.end(), 0);
      current_stamp_ = 1;
    }
  }
  bool contains(Vertex v) const { return stamp_[v] == current_stamp_; }
  /// False if it is in the set already.
  bool insert(Vertex v) {
    bool const added = stamp_[v] != current_stamp_;
    stamp_[v] = current_stamp_;
    return added;
  }
  void erase(Vertex v) { stamp_[v] = 0; }

 private:
  std::vector<std::uint32_t> stamp_;
  std::uint32_t current_stamp_ = 0;
};

/// The graph that the reduction rules rewrite. A decision removes its vertex, a fold merges
/// vertices, and lift() turns a cover of the live graph into a cover of the whole.
///
/// Invariant: a minimum cover of the live graph, lifted, is a minimum cover of the assigned graph,
/// with cover_size() more vertices. A row drops its dead entries when it is next read, so that all
/// removals together cost no more than reading the graph once. A dead vertex stays dead; the
/// children of a search node copy its live vertices.
/// Used by: Node, and every rule and bound of this folder.
class ReductionGraph {
 public:
  /// Starts from a whole graph.
  void assign(HostGraph const& graph) {
    auto const n = static_cast<Vertex>(graph.vertices());
    clear(n);
    pool_.assign(graph.entries.begin(), graph.entries.end());
    for (Vertex v = 0; v < n; ++v) {
      auto const degree = static_cast<std::uint32_t>(graph.degree(v));
      rows_[v] = {graph.offsets[v], degree, degree, degree, true, false, false, false};
    }
    live_ = n;
    edges_ = graph.edges();
  }

  /// Starts from the live vertices `part` of another graph, a union of its components, renumbered
  /// in this order. `new_id` is scratch; afterwards it holds the new number of each vertex of
  /// `part`.
  void assign(ReductionGraph& from, std::span<Vertex const> part, std::vector<Vertex>& new_id) {
    auto const n = static_cast<Vertex>(part.size());
    clear(n);
    if (new_id.size() < from.rows_.size()) {
      new_id.resize(from.rows_.size());
    }
    for (Vertex v = 0; v < n; ++v) {
      new_id[part[v]] = v;
    }
    for (Vertex v = 0; v < n; ++v) {
      auto const neighbours = from.neighbours(part[v]);
      auto const degree = static_cast<std::uint32_t>(neighbours.size());
      rows_[v] = {pool_.size(), degree, degree, degree, true, false, false, false};
      for (Vertex const u : neighbours) {
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
  /// Of a dead vertex: whether a fold removed it, so that only lift() decides it.
  bool folded(Vertex v) const { return rows_[v].folded; }
  std::uint32_t degree(Vertex v) const { return rows_[v].degree; }

  /// The vertices that the decisions and folds so far add to a cover of the live graph.
  std::uint32_t cover_size() const { return cover_size_; }

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

  /// Calls stop(u) for each live neighbour u until it returns true. May change the order of the
  /// row.
  /// Cost: the entries read. neighbours() first removes the dead entries of the whole row.
  template <class Stop>
  void read_until(Vertex v, Stop const& stop) {
    Row& row = rows_[v];
    Vertex* const entries = pool_.data() + row.begin;
    for (std::uint32_t i = 0; i < row.length;) {
      if (!rows_[entries[i]].alive) {
        entries[i] = entries[--row.length];
      } else if (stop(entries[i++])) {
        return;
      }
    }
  }

  /// Requires: u and v are live. Cost: the shorter of the two rows.
  bool adjacent(Vertex u, Vertex v) {
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
      rows_[centre].folded = true;
    }
    for (Vertex const other : others) {
      scratch_.assign(neighbours(other).begin(), neighbours(other).end());
      rows_[other].alive = false;
      rows_[other].folded = true;
      --live_;
      for (Vertex const u : scratch_) {
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
    seen_.reset(rows_.size());
    collect_outside(a, b, outside_a_);
    collect_outside(b, a, outside_b_);
    seen_.reset(rows_.size());
    for (Vertex const u : outside_a_) {
      seen_.insert(u);
    }
    auto const is_common = [&](Vertex u) { return seen_.contains(u); };
    common_.clear();
    std::copy_if(outside_b_.begin(), outside_b_.end(), std::back_inserter(common_), is_common);
    for (Vertex const u : common_) {
      include(u);
    }
    auto const dead = [&](Vertex u) { return !rows_[u].alive; };
    std::erase_if(outside_a_, dead);
    std::erase_if(outside_b_, dead);

    record(outside_b_, {a, {}}, {b, {}});
    cover_size_ += static_cast<std::uint32_t>(a.size());
    for (auto const side : {a, b}) {
      for (Vertex const v : side) {
        remove(v);
        rows_[v].folded = true;
      }
    }
    for (Vertex const u : outside_a_) {
      seen_.reset(rows_.size());
      for (Vertex const w : neighbours(u)) {
        seen_.insert(w);
      }
      for (Vertex const w : outside_b_) {
        if (!seen_.contains(w)) {
          append(u, w);
          append(w, u);
          ++rows_[u].degree;
          ++rows_[w].degree;
          ++edges_;
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

  /// Undoes the folds, the last one first. `in_cover`: a copy of in_cover() in which the entries of
  /// the live vertices are a cover of the live graph. Afterwards it is a cover of the whole graph.
  void lift(std::span<std::uint8_t> in_cover) const {
    for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
      Vertex const* const witnesses = journal_.data() + record->begin;
      Vertex const* const first = witnesses + record->witnesses;
      Vertex const* const second = first + record->first;
      bool const covered =
          std::all_of(witnesses, first, [&](Vertex v) { return in_cover[v] != 0; });
      std::for_each(first, second, [&](Vertex v) { in_cover[v] = covered ? 1 : 0; });
      std::for_each(second, second + record->second,
                    [&](Vertex v) { in_cover[v] = covered ? 0 : 1; });
    }
  }

  /// Removes and returns a live vertex whose neighbourhood has changed since its last return;
  /// vertices of degree two or less come first. `none` if there is no more.
  Vertex next_touched() {
    while (!urgent_.empty()) {
      Vertex const v = urgent_.back();
      urgent_.pop_back();
      rows_[v].urgent = false;
      if (rows_[v].alive) {
        return v;
      }
    }
    while (next_ < touched_.size()) {
      Vertex const v = touched_[next_++];
      rows_[v].touched = false;
      if (rows_[v].alive) {
        return v;
      }
    }
    touched_.clear();
    next_ = 0;
    return none;
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
    bool folded;
  };

  /// One fold, as lengths of its lists in journal_ from `begin` on. If all witnesses are in the
  /// cover, the vertices of `first` are in it and those of `second` are not; else the reverse.
  struct Record {
    std::uint64_t begin;
    std::uint32_t witnesses, first, second;
  };
  using TwoSpans = std::array<std::span<Vertex const>, 2>;

  void clear(Vertex n) {
    rows_.resize(n);
    pool_.clear();
    in_cover_.assign(n, 0);
    journal_.clear();
    records_.clear();
    touched_.clear();
    urgent_.clear();
    next_ = 0;
    cover_size_ = 0;
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

  /// Sets `out` to the neighbours of `inner` that are not in `outer`, each once.
  void collect_outside(std::span<Vertex const> inner, std::span<Vertex const> outer,
                       std::vector<Vertex>& out) {
    seen_.reset(rows_.size());
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

  void record(std::span<Vertex const> witnesses, TwoSpans first, TwoSpans second) {
    Record record{journal_.size(), static_cast<std::uint32_t>(witnesses.size()),
                  static_cast<std::uint32_t>(first[0].size() + first[1].size()),
                  static_cast<std::uint32_t>(second[0].size() + second[1].size())};
    for (auto const part : {witnesses, first[0], first[1], second[0], second[1]}) {
      journal_.insert(journal_.end(), part.begin(), part.end());
    }
    records_.push_back(record);
  }

  std::vector<Row> rows_;
  std::vector<Vertex> pool_;  ///< the entries of all rows; a row that grows moves to the end
  std::uint32_t live_ = 0;
  std::uint64_t edges_ = 0;
  std::uint32_t cover_size_ = 0;

  std::vector<std::uint8_t> in_cover_;
  std::vector<Vertex> journal_;  ///< the vertices of all records
  std::vector<Record> records_;  ///< the folds, for lift()

  std::vector<Vertex> urgent_;   ///< touched vertices of degree two or less
  std::vector<Vertex> touched_;  ///< the other touched vertices
  std::size_t next_ = 0;         ///< index in touched_ of the next to return

  VertexSet seen_;
  std::vector<Vertex> scratch_, outside_a_, outside_b_, common_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
