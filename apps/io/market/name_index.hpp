// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace taper::io {

/// Numbers names in the order of their first appearance.
class NameIndex {
 public:
  std::optional<std::uint32_t> find(std::string_view name) const;

  /// The number of `name`, and whether it is new.
  std::pair<std::uint32_t, bool> add(std::string name);

  std::vector<std::string> const& names() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace taper::io
