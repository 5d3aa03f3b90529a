// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "summary.hpp"

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// A picture on a report page.
struct ReportPicture {
  std::string kind;     ///< as `taper plot --kind` spells it
  std::string caption;  ///< what it shows
  std::string svg;      ///< an SVG document
};

/// A run on a report page.
struct RunRecord {
  std::string folder;  ///< its folder, as the user named it
  std::vector<SummaryRow> rows;
  nlohmann::ordered_json configuration;  ///< null: not recorded
  nlohmann::ordered_json provenance;     ///< texts, and lists of texts
  std::string verdict;                   ///< a sentence about cases and checks
  std::vector<std::string> faults;       ///< wrong answers, missing cases: shown in red
  std::vector<std::string> notes;        ///< what the page cannot show, and why
  std::vector<ReportPicture> pictures;
};

/// The heading of a run: the title of its configuration, else its name, else the folder.
std::string heading_of(RunRecord const& run);

/// The head of a page.
struct ReportHead {
  std::string title;  ///< empty: the heading of the only run, or the number of runs
  std::string note;   ///< a paragraph below the title; empty: none
};

/// A page in HTML with all runs: times, pictures, configuration and provenance.
///
/// It is one file without scripts and without references to others. It adapts to phones, to
/// printing and to dark screens.
std::string report_page(ReportHead const& head, std::span<RunRecord const> runs);

}  // namespace taper::app
