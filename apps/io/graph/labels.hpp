// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <io/text/cursor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// Numbers labels in the order of their first appearance. Labels are views of the text, which must
/// outlive them. It is a hash table with open addressing, since the nodes of std::unordered_map
/// would cost one more cache miss per edge end.
/// Used by: the readers of graphs with words as vertices.
class Labels {
 public:
  /// The vertex of a label; a new one if the label is new.
  Vertex vertex(std::string_view label) {
    if (2 * labels_.size() >= slots_.size()) {
      grow();
    }
    auto const hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(label));
    auto at = hash & (slots_.size() - 1);
    for (; slots_[at].label != no_label; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && labels_[slots_[at].label] == label) {
        return slots_[at].label;
      }
    }
    slots_[at] = {hash, static_cast<Vertex>(labels_.size())};
    labels_.push_back(label);
    return slots_[at].label;
  }

  std::size_t size() const { return labels_.size(); }
  std::string_view of(Vertex vertex) const { return labels_[vertex]; }
  std::vector<std::string> all() const { return {labels_.begin(), labels_.end()}; }

  /// Forgets the first labels. Requires: vertex() is not called again.
  void drop_first(std::size_t count) {
    labels_.erase(labels_.begin(), labels_.begin() + static_cast<std::ptrdiff_t>(count));
  }

 private:
  static constexpr auto no_label = static_cast<Vertex>(max_vertices + 1);
  struct Slot {
    std::uint32_t hash = 0;
    Vertex label = no_label;
  };

  void grow() {
    std::vector<Slot> slots(2 * slots_.size());
    for (auto const& slot : slots_) {
      auto at = slot.hash & (slots.size() - 1);
      while (slot.label != no_label && slots[at].label != no_label) {
        at = (at + 1) & (slots.size() - 1);
      }
      if (slot.label != no_label) {
        slots[at] = slot;
      }
    }
    slots_ = std::move(slots);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << 10);  // a power of two
  std::vector<std::string_view> labels_;                               // they point into the text
};

/// Makes the labels the vertices. With `numbers`, labels that are all whole numbers are numbers, in
/// ascending order; 1.0 is the number 1.
///
/// Throws: InputError for a number that is no vertex, such as 0.5, and for two spellings of one.
void name_by_labels(Cursor const& cursor, GraphFile& graph, Labels const& labels, bool numbers);

}  // namespace taper::io
