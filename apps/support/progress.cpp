// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>

namespace taper::app {

void Progress::show(std::size_t done, std::string_view what) {
  if (!line_.due()) {
    return;
  }
  auto const elapsed = std::chrono::duration<double>(Clock::now() - begun_).count();
  constexpr std::size_t bar_width = 20;
  auto const filled = total_ == 0 ? bar_width : bar_width * done / total_;
  auto line = fmt::format("[{}{}] {}/{}  {}", std::string(filled, '#'),
                          std::string(bar_width - filled, '.'), done, total_, clock_text(elapsed));
  if (done > 0 && done < total_) {
    auto const left = elapsed / static_cast<double>(done) * static_cast<double>(total_ - done);
    line += fmt::format(", about {} left", clock_text(left));
  }
  line_.show(line + fmt::format("  {}", what));
}

}  // namespace taper::app
