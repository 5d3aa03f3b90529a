// SPDX-License-Identifier: Apache-2.0
#include "report_page.hpp"

#include "columns.hpp"
#include "html.hpp"
#include "report_style.hpp"

#include <support/text.hpp>

#include <taper/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

/// The text member `key` of an object; empty if it is missing or no text.
std::string text_member(Json const& object, std::string_view key) {
  auto const found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// A value on one line: members as "key: value".
std::string plain(Json const& value) {
  if (value.is_string()) {
    return value.get_ref<std::string const&>().empty() ? "empty" : value.get<std::string>();
  }
  if (value.is_null()) {
    return "none";
  }
  if (!value.is_structured()) {
    return value.dump();
  }
  std::string text;
  for (auto const& [key, member] : value.items()) {
    auto inner = plain(member);
    if (member.is_structured()) {
      inner = member.is_array() ? fmt::format("[{}]", inner) : fmt::format("({})", inner);
    }
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ",
                        value.is_object() ? key + ": " : std::string{}, inner);
  }
  return text;
}

/// The members that all mappings of a list have with the same value.
Json common_members(Json const& list) {
  Json common = list.front();
  for (auto const& item : list) {
    for (auto member = common.begin(); member != common.end();) {
      auto const same = item.contains(member.key()) && item[member.key()] == member.value();
      member = same ? std::next(member) : common.erase(member);
    }
  }
  return common;
}

/// A list with an item per value. What all mappings have in common is an item of its own.
std::string value_list(Json const& values) {
  auto const are_mappings =
      std::ranges::all_of(values, [](Json const& item) { return item.is_object(); });
  auto const common =
      are_mappings && values.size() > 1 ? common_members(values) : Json(Json::object());
  std::string list = "<ul>";
  for (auto item : values) {
    for (auto const& [key, value] : common.items()) {
      item.erase(key);
    }
    list += fmt::format("<li>{}</li>", html_text(plain(item)));
  }
  if (!common.empty()) {
    list += fmt::format("<li>all: {}</li>", html_text(plain(common)));
  }
  return list + "</ul>";
}

/// The cell of a value: a list for a list of mappings or of long texts, else one line.
std::string value_cell(Json const& value) {
  auto const is_long = [](Json const& item) {
    return item.is_object() || (item.is_string() && item.get_ref<std::string const&>().size() > 24);
  };
  return value.is_array() && std::ranges::any_of(value, is_long) ? value_list(value)
                                                                 : html_text(plain(value));
}

/// A table of keys and values.
std::string pairs_table(Json const& object) {
  std::string table = "<table class=\"pairs\"><tbody>\n";
  for (auto const& [key, value] : object.items()) {
    table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_text(key),
                         value_cell(value));
  }
  return table + "</tbody></table>\n";
}

/// The machine of a run: its device and its host.
std::string machine_of(Json const& provenance) {
  auto const device = text_member(provenance, "device");
  auto const cpu = text_member(provenance, "cpu");
  auto const threads = text_member(provenance, "host_threads");
  std::string host = cpu.empty() ? "unknown host" : cpu;
  if (!threads.empty()) {
    host += threads == "1" ? ", 1 thread" : fmt::format(", {} threads", threads);
  }
  return device.empty() ? host : fmt::format("{}; host: {}", device, host);
}

/// The rows of one subject.
struct Subject {
  std::string name;
  std::vector<SummaryRow const*> rows;
  double slowest = 0;
  double fastest = 0;
  bool agreed = true;  ///< all engines have the same answer, and it is no interval "5..9"

  SummaryRow const* of(std::string_view engine) const {
    auto const found = std::ranges::find(rows, engine, &SummaryRow::engine);
    return found == rows.end() ? nullptr : *found;
  }
};

std::vector<Subject> subjects_of(std::span<SummaryRow const> rows) {
  std::vector<Subject> subjects;
  for (auto const& group : grouped_by(rows, [](SummaryRow const& row) { return row.subject; })) {
    auto const [least, most] =
        std::ranges::minmax(group, {}, [](SummaryRow const* row) { return row->median_s; });
    auto const agrees = [&](SummaryRow const* row) {
      return row->answer == group.front()->answer && row->answer.find("..") == std::string::npos;
    };
    subjects.push_back({group.front()->subject, group, most->median_s, least->median_s,
                        std::ranges::all_of(group, agrees)});
  }
  return subjects;
}

/// The cell of an engine: its median, its speedup over `baseline`, its answer unless all agree.
std::string time_cell(Subject const& subject, std::string_view engine, std::string_view baseline) {
  auto const* row = subject.of(engine);
  if (row == nullptr) {
    return "<td class=\"none\">-</td>";
  }
  auto const* base = subject.of(baseline);
  std::string beside;
  if (base != nullptr && base != row && row->median_s > 0) {
    beside = fmt::format(" <small>{}</small>", speedup(base->median_s, row->median_s));
  }
  if (!subject.agreed) {
    beside += fmt::format(" <small>{}</small>", html_text(row->answer));
  }
  auto const is_best =
      subject.rows.size() > 1 && subject.agreed && row->median_s <= subject.fastest;
  return fmt::format("<td{} data-name=\"{}\"><span><b>{}</b>{}</span><i style=\"--share:{:.4f}\">"
                     "</i></td>",
                     is_best ? " class=\"best\"" : "", html_text(engine),
                     format_seconds(row->median_s), beside,
                     subject.slowest > 0 ? row->median_s / subject.slowest : 0);
}

/// The class of a table of times, by its number of columns.
std::string_view width_class(std::size_t engines) {
  constexpr std::size_t few = 4;
  constexpr std::size_t many = 8;
  return engines <= few ? "few" : engines <= many ? "many" : "cards";
}

/// The table of medians: a row per subject, a column per engine.
std::string times_table(RunRecord const& run) {
  auto const subjects = subjects_of(run.rows);
  auto const engines = distinct(run.rows, &SummaryRow::engine);
  auto const baseline = text_member(run.configuration, "baseline");
  auto const answers = std::ranges::any_of(subjects, [](Subject const& subject) {
    return subject.agreed && !subject.rows.front()->answer.empty();
  });
  auto table = fmt::format(
      "<table class=\"times {}\">\n<caption>Median times. Bars are shares of the slowest time of "
      "their row; the fastest time is bold.{}</caption>\n<thead><tr><th scope=\"col\">case</th>{}",
      width_class(engines.size()),
      std::ranges::find(engines, baseline) == engines.end()
          ? ""
          : fmt::format(" Factors are speedups over {}.", html_text(baseline)),
      answers ? "<th scope=\"col\">answer</th>" : "");
  for (auto const& engine : engines) {
    table += fmt::format("<th scope=\"col\">{}</th>", html_text(engine));
  }
  table += "</tr></thead>\n<tbody>\n";
  for (auto const& subject : subjects) {
    table += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(subject.name));
    if (answers) {
      auto const answer = subject.agreed ? subject.rows.front()->answer : "";
      table += answer.empty() ? "<td class=\"none\">-</td>"
                              : fmt::format("<td data-name=\"answer\"><span>{}</span></td>",
                                            html_text(answer));
    }
    for (auto const& engine : engines) {
      table += time_cell(subject, engine, baseline);
    }
    table += "</tr>\n";
  }
  return table + "</tbody></table>\n";
}

/// The table of all rows: counts, medians and quartiles.
std::string quartiles_table(std::span<SummaryRow const> rows) {
  constexpr std::string_view names[] = {"engine", "backend",        "count",
                                        "median", "lower quartile", "upper quartile"};
  std::string table = "<table class=\"quartiles few\">\n<thead><tr><th scope=\"col\">case</th>";
  for (auto const name : names) {
    table += fmt::format("<th scope=\"col\">{}</th>", name);
  }
  table += "</tr></thead>\n<tbody>\n";
  for (auto const& row : rows) {
    table += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(row.subject));
    std::string const cells[] = {row.engine,
                                 row.backend,
                                 std::to_string(row.count),
                                 format_seconds(row.median_s),
                                 format_seconds(row.lower_quartile_s),
                                 format_seconds(row.upper_quartile_s)};
    for (std::size_t i = 0; i < std::size(cells); ++i) {
      table +=
          fmt::format("<td data-name=\"{}\"><span>{}</span></td>", names[i], html_text(cells[i]));
    }
    table += "</tr>\n";
  }
  return table + "</tbody></table>\n";
}

std::string figure(ReportPicture const& picture, std::string_view prefix) {
  auto const caption = fmt::format("{}: {}", picture.kind, picture.caption);
  return fmt::format("<figure><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                     "aria-label=\"{0}\">{1}</div><figcaption>{0}</figcaption></figure>\n",
                     html_text(caption), inline_svg(picture.svg, prefix, caption));
}

/// The folder, the machine, the version and the date of a run.
std::string origin(RunRecord const& run) {
  auto const& provenance = run.provenance;
  std::vector<std::string> parts{fmt::format("<code>{}</code>", html_text(run.folder)),
                                 html_text(machine_of(provenance))};
  if (auto const version = text_member(provenance, "taper_version"); !version.empty()) {
    parts.push_back("taper " + html_text(version));
  }
  if (auto const commit = text_member(provenance, "git_commit"); !commit.empty()) {
    auto const changed = text_member(provenance, "git_dirty") == "true";
    parts.push_back(fmt::format("commit {}{}", html_text(commit.substr(0, 12)),
                                changed ? ", changed since" : ""));
  }
  if (auto const date = text_member(provenance, "date_utc"); !date.empty()) {
    parts.push_back(html_text(date));
  }
  return fmt::format("<p class=\"soft\">{}</p>\n", fmt::join(parts, " &middot; "));
}

/// The paragraphs below the heading of a run.
std::string facts(RunRecord const& run) {
  auto text = origin(run);
  if (!run.verdict.empty()) {
    text += fmt::format("<p>{}</p>\n", html_text(run.verdict));
  }
  for (auto const& fault : run.faults) {
    text += fmt::format("<p class=\"fault\">{}</p>\n", html_text(fault));
  }
  for (auto const& note : run.notes) {
    text += fmt::format("<p class=\"soft\">{}</p>\n", html_text(note));
  }
  return text;
}

std::string details(std::string_view summary, std::string const& content) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, content);
}

std::string section(RunRecord const& run, std::size_t number) {
  auto html =
      fmt::format("<section id=\"run-{0}\">\n<h2{1}>{2}</h2>\n{3}", number,
                  number == 1 ? " class=\"first\"" : "", html_text(heading_of(run)), facts(run));
  if (!run.rows.empty()) {
    html += "<h3>Times</h3>\n" + times_table(run);
  }
  if (!run.pictures.empty()) {
    html += "<h3>Pictures</h3>\n";
  }
  for (std::size_t i = 0; i < run.pictures.size(); ++i) {
    html += figure(run.pictures[i], fmt::format("p{}-{}-", number, i + 1));
  }
  if (!run.rows.empty()) {
    html += details("Counts and quartiles", quartiles_table(run.rows));
  }
  html += "<h3>Configuration</h3>\n";
  html += run.configuration.is_object() ? pairs_table(run.configuration)
                                        : "<p class=\"soft\">not recorded</p>\n";
  html += details("Provenance", pairs_table(run.provenance));
  return html + "</section>\n";
}

std::string contents(std::span<RunRecord const> runs) {
  std::string list = "<nav aria-label=\"runs\"><ol>\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto const& run = runs[i];
    list += fmt::format("<li><a href=\"#run-{}\">{}</a> <span class=\"soft\"><code>{}</code> "
                        "&middot; {}</span></li>\n",
                        i + 1, html_text(heading_of(run)), html_text(run.folder),
                        html_text(machine_of(run.provenance)));
  }
  return list + "</ol></nav>\n";
}

/// The card rules for the tables of class `name` instead of `cards`.
std::string card_rules(std::string_view name) {
  std::string rules;
  std::string_view rest = card_style;
  constexpr std::string_view placeholder = ".cards";
  for (auto at = rest.find(placeholder); at != rest.npos; at = rest.find(placeholder)) {
    rules += fmt::format("{}.{}", rest.substr(0, at), name);
    rest.remove_prefix(at + placeholder.size());
  }
  return rules.append(rest);
}

/// The whole style sheet. Tables of class `few` become cards on a phone, those of class `many` also
/// on a tablet and on paper.
std::string style() {
  return fmt::format("{}{}@media (max-width: 40rem) {{{}}}\n@media (max-width: 64rem) {{{}}}\n",
                     report_style, card_rules("cards"), card_rules("few"), card_rules("many"));
}

}  // namespace

std::string heading_of(RunRecord const& run) {
  for (auto const* const key : {"title", "name"}) {
    if (auto const text = text_member(run.configuration, key); !text.empty()) {
      return text;
    }
  }
  return run.folder;
}

std::string report_page(ReportHead const& head, std::span<RunRecord const> runs) {
  auto const heading = !head.title.empty() ? head.title
                       : runs.size() == 1  ? heading_of(runs.front())
                                           : fmt::format("{} runs of taper", runs.size());
  auto page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n"
      "<h1>{0}</h1>\n{2}<p class=\"soft\">Written by taper report, version {3}.</p>\n{4}</header>\n"
      "<main>\n",
      html_text(heading), style(),
      head.note.empty() ? "" : fmt::format("<p>{}</p>\n", html_text(head.note)), version,
      runs.size() > 1 ? contents(runs) : "");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    page += section(runs[i], i + 1);
  }
  return page + "</main>\n</body>\n</html>\n";
}

}  // namespace taper::app
