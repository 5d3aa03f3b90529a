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

namespace taper::vertex_cover::standard {

inline constexpr Vertex none = std::numeric_limits<Vertex>::max();

/// A set of vertices that is emptied in constant time.
class VertexSet {
 public:
  /// Empties it and makes room for ids below n.
  void reset(std::size_t n) {
    if (stamps_.size() < n) {
      stamps_.resize(n, 0);
    }
    if (++now_ == 0) {
      std::fill(stamps_.begin(), stamps_.end(), 0);
      now_ = 1;
    }
  }
  bool contains(Vertex v) const { return stamps_[v] == now_; }
  /// False if it was in already.
  bool insert(Vertex v) {
    bool const fresh = stamps_[v] != now_;
    stamps_[v] = now_;
    return fresh;
  }
  void erase(Vertex v) { stamps_[v] = 0; }

 private:
  std::vector<std::uint32_t> stamps_;
  std::uint32_t now_ = 0;
};

/// A graph that shrinks: vertices leave it as they are decided, folds rewrite what is left, and a
/// cover of the rest is lifted to one of the whole.
///
/// Invariant: a minimum cover of the live graph, lifted, is a minimum cover of the graph that was
/// assigned, of cover_size() more vertices.
/// A row drops its dead entries when it is next read, so that all removals together cost no more
/// than reading the graph once. No vertex comes back to life.
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
  /// in this order; `new_id` is scratch, and then holds the new number of each.
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

  /// Ids, those of dead vertices included.
  Vertex vertices() const { return static_cast<Vertex>(rows_.size()); }
  std::uint32_t live_vertices() const { return live_; }
  std::uint64_t live_edges() const { return edges_; }
  bool alive(Vertex v) const { return rows_[v].alive; }
  /// Of a dead vertex: whether it is undecided, until lift() undoes the fold that has taken it away.
  bool folded(Vertex v) const { return rows_[v].folded; }
  std::uint32_t degree(Vertex v) const { return rows_[v].degree; }

  /// What the decisions and folds so far add to a cover of the live graph.
  std::uint32_t cover_size() const { return cover_size_; }

  /// Live neighbours, valid until the next change of the graph. A live vertex's only.
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

  /// Reads live neighbours until `stop` says so. Costs what it reads, and changes their order, where
  /// neighbours() first looks for dead entries in the whole row.
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

  /// Contracts `others` into `kept`, after `centres` have left, whose only neighbours all these
  /// were, not adjacent to each other: kept then stands for all of them.
  ///
  /// |centres| = |others|. Lifted: all of them in the cover, or else the centres.
  /// Cost: the rows of the others and of their neighbours, whatever the length of kept's.
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

  /// Resolves two alternatives: sets a and b, |a| = |b|, each independent, every vertex of one
  /// adjacent to one of the other, and some minimum cover has exactly one of them in it. Common
  /// neighbours enter the cover, and the other neighbours of a are joined to those of b.
  ///
  /// Lifted: a in the cover where all of b's other neighbours are, or else b.
  /// Source: Xiao and Nagamochi 2013; Akiba and Iwata 2016, section 3.1.
  void join_alternatives(std::span<Vertex const> a, std::span<Vertex const> b) {
    seen_.reset(rows_.size());
    collect_outside(a, b, beside_a_);
    collect_outside(b, a, beside_b_);
    seen_.reset(rows_.size());
    for (Vertex const u : beside_a_) {
      seen_.insert(u);
    }
    auto const is_common = [&](Vertex u) { return seen_.contains(u); };
    common_.clear();
    std::copy_if(beside_b_.begin(), beside_b_.end(), std::back_inserter(common_), is_common);
    for (Vertex const u : common_) {
      include(u);
    }
    auto const dead = [&](Vertex u) { return !rows_[u].alive; };
    std::erase_if(beside_a_, dead);
    std::erase_if(beside_b_, dead);

    record(beside_b_, {a, {}}, {b, {}});
    cover_size_ += static_cast<std::uint32_t>(a.size());
    for (auto const side : {a, b}) {
      for (Vertex const v : side) {
        remove(v);
        rows_[v].folded = true;
      }
    }
    for (Vertex const u : beside_a_) {
      seen_.reset(rows_.size());
      for (Vertex const w : neighbours(u)) {
        seen_.insert(w);
      }
      for (Vertex const w : beside_b_) {
        if (!seen_.contains(w)) {
          append(u, w);
          append(w, u);
          ++rows_[u].degree;
          ++rows_[w].degree;
          ++edges_;
        }
      }
    }
    for (auto const* side : {&beside_a_, &beside_b_}) {
      for (Vertex const u : *side) {
        touch(u);
      }
    }
  }

  /// Decisions so far; entries of live vertices are for the caller to fill in before lift().
  std::vector<std::uint8_t> const& in_cover() const { return in_cover_; }

  /// Undoes the folds in a cover of the live graph that stands beside the decisions.
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

  /// Vertices whose neighbourhood changed since they were last taken from here; those of degree
  /// two or less first. `none` where there is no more.
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

  /// One fold: where all witnesses are in the cover, so are the vertices of `first`, and those of
  /// `second` are not; else the other way round.
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
    // A few places freed would soon be taken, and the row be read again for each few.
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

  /// The neighbours of `inner` but for `outer`, each once, to `out`.
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
  std::vector<Vertex> pool_;  ///< the rows, each in a place of its own
  std::uint32_t live_ = 0;
  std::uint64_t edges_ = 0;
  std::uint32_t cover_size_ = 0;

  std::vector<std::uint8_t> in_cover_;
  std::vector<Vertex> journal_;
  std::vector<Record> records_;

  std::vector<Vertex> urgent_;
  std::vector<Vertex> touched_;
  std::size_t next_ = 0;

  VertexSet seen_;
  std::vector<Vertex> scratch_, beside_a_, beside_b_, common_;
};

}  // namespace taper::vertex_cover::standard
