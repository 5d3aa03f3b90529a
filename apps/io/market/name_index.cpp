// SPDX-License-Identifier: Apache-2.0
#include <io/market/name_index.hpp>

namespace taper::io {

std::optional<std::uint32_t> NameIndex::find(std::string_view name) const {
  const auto it = numbers_.find(name);
  return it == numbers_.end() ? std::nullopt : std::optional(it->second);
}

std::pair<std::uint32_t, bool> NameIndex::add(std::string name) {
  const auto [it, is_new] =
      numbers_.try_emplace(std::move(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new)
    names_.push_back(it->first);
  return {it->second, is_new};
}

}  // namespace taper::io
