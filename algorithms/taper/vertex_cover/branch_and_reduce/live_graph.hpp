// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
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

/// A graph that loses vertices, with a list of those whose surroundings have changed, and a journal
/// of folds. The graphs of the reduction rules derive from it.
///
/// A row drops its dead entries when it is next read, so that all removals together cost no more
/// than reading the graph once. A dead vertex stays dead; the children of a search node copy its
/// live vertices.
/// Used by: ReductionGraph, independent_set::WeightedGraph.
class LiveGraph {
 public:
  /// The number of ids, those of dead vertices included.
  Vertex vertices() const { return static_cast<Vertex>(rows_.size()); }
  std::uint32_t live_vertices() const { return live_; }
  std::uint64_t live_edges() const { return edges_; }
  bool alive(Vertex v) const { return rows_[v].alive; }
  std::uint32_t degree(Vertex v) const { return rows_[v].degree; }

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

  /// Removes and returns a live vertex whose surroundings have changed since its last return;
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

 protected:
  using TwoSpans = std::array<std::span<Vertex const>, 2>;

  /// Starts from a whole graph.
  void assign_rows(HostGraph const& graph) {
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
  void assign_rows(LiveGraph& from, std::span<Vertex const> part, std::vector<Vertex>& new_id) {
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

  /// Starts from n vertices. Those of `live` are live, with these degrees and, one row after
  /// another, these neighbours.
  void assign_rows(Vertex n, std::span<Vertex const> live, std::span<std::uint32_t const> degrees,
                   std::span<Vertex const> neighbours) {
    clear(n);
    std::fill(rows_.begin(), rows_.end(), Row{});
    pool_.assign(neighbours.begin(), neighbours.end());
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < live.size(); ++i) {
      rows_[live[i]] = {begin, degrees[i], degrees[i], degrees[i], true, false, false, false};
      begin += degrees[i];
    }
    live_ = static_cast<std::uint32_t>(live.size());
    edges_ = pool_.size() / 2;
  }

  /// The memory of the rows and of the journal.
  std::size_t bytes_of_rows() const {
    return rows_.capacity() * sizeof(Row) +
           (pool_.capacity() + journal_.capacity()) * sizeof(Vertex);
  }

  /// One bit per vertex for the class that derives. False at first.
  bool flag(Vertex v) const { return rows_[v].flag; }
  void set_flag(Vertex v, bool flag) { rows_[v].flag = flag; }

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

  /// Gives the edges of `other` to `kept`, and removes it. Requires: they are not adjacent.
  /// Cost: the rows of `other` and of its neighbours, independent of the row of `kept`.
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

  /// Requires: u and v are live and not adjacent.
  void join(Vertex u, Vertex v) {
    append(u, v);
    append(v, u);
    ++rows_[u].degree;
    ++rows_[v].degree;
    ++edges_;
  }

  /// Notes a fold, for undo_folds().
  void record(std::span<Vertex const> witnesses, TwoSpans first, TwoSpans second) {
    records_.push_back({journal_.size(), static_cast<std::uint32_t>(witnesses.size()),
                        static_cast<std::uint32_t>(first[0].size() + first[1].size()),
                        static_cast<std::uint32_t>(second[0].size() + second[1].size())});
    for (auto const part : {witnesses, first[0], first[1], second[0], second[1]}) {
      journal_.insert(journal_.end(), part.begin(), part.end());
    }
  }

  /// Calls undo(witnesses, first, second) with the lists of each fold, the last one first.
  template <class Undo>
  void undo_folds(Undo const& undo) const {
    for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
      read(*record, undo);
    }
  }
  /// Calls use(witnesses, first, second) with the lists of each fold, the first one first.
  template <class Use>
  void for_each_fold(Use const& use) const {
    for (Record const& record : records_) {
      read(record, use);
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
    bool flag;     ///< see flag()
  };

  /// One fold, as lengths of its lists in journal_ from `begin` on.
  struct Record {
    std::uint64_t begin;
    std::uint32_t witnesses, first, second;
  };

  template <class Use>
  void read(Record const& record, Use const& use) const {
    std::span<Vertex const> const lists(journal_.data() + record.begin,
                                        std::size_t{record.witnesses} + record.first +
                                            record.second);
    use(lists.first(record.witnesses), lists.subspan(record.witnesses, record.first),
        lists.last(record.second));
  }

  void clear(Vertex n) {
    rows_.resize(n);
    pool_.clear();
    journal_.clear();
    records_.clear();
    touched_.clear();
    urgent_.clear();
    next_ = 0;
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

  std::vector<Row> rows_;
  std::vector<Vertex> pool_;  ///< the entries of all rows; a row that grows moves to the end
  std::uint32_t live_ = 0;
  std::uint64_t edges_ = 0;

  std::vector<Vertex> journal_;  ///< the vertices of all records
  std::vector<Record> records_;

  std::vector<Vertex> urgent_;   ///< touched vertices of degree two or less
  std::vector<Vertex> touched_;  ///< the other touched vertices
  std::size_t next_ = 0;         ///< index in touched_ of the next to return

  std::vector<Vertex> moved_;  ///< of contract()
};

/// Connected components of a live graph, each as a list of vertices.
class Components {
 public:
  /// Finds the components; returns their number. Removes the dead entries of all live rows.
  std::size_t find(LiveGraph& graph) {
    seen_.reset(graph.vertices());
    vertices_.clear();
    ends_.clear();
    for (Vertex start = 0; start < graph.vertices(); ++start) {
      if (!graph.alive(start) || !seen_.insert(start)) {
        continue;
      }
      std::size_t head = vertices_.size();
      for (vertices_.push_back(start); head < vertices_.size(); ++head) {
        for (Vertex const u : graph.neighbours(vertices_[head])) {
          if (seen_.insert(u)) {
            vertices_.push_back(u);
          }
        }
      }
      ends_.push_back(vertices_.size());
    }
    return ends_.size();
  }

  /// All live vertices as one part, in order: quicker, and as good where nothing is searched.
  void join(LiveGraph const& graph) {
    vertices_.clear();
    ends_.clear();
    graph.append_live(vertices_);
    if (!vertices_.empty()) {
      ends_.push_back(vertices_.size());
    }
  }

  std::size_t count() const { return ends_.size(); }
  std::span<Vertex> operator[](std::size_t i) {
    std::size_t const begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(vertices_).subspan(begin, ends_[i] - begin);
  }

  /// Copies of the components, the smallest first. Each is sorted: callers often number related
  /// vertices consecutively, and greedy bounds gain from that.
  std::vector<std::vector<Vertex>> smallest_first() {
    std::vector<std::vector<Vertex>> result;
    for (std::size_t i = 0; i < count(); ++i) {
      auto const part = (*this)[i];
      result.emplace_back(part.begin(), part.end());
      std::sort(result.back().begin(), result.back().end());
    }
    std::stable_sort(result.begin(), result.end(),
                     [](auto const& a, auto const& b) { return a.size() < b.size(); });
    return result;
  }

 private:
  VertexSet seen_;
  std::vector<Vertex> vertices_;
  std::vector<std::size_t> ends_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
