// SPDX-License-Identifier: Apache-2.0
#include <apps/page_structure.hpp>
#include <apps/scratch.hpp>

#include <experiment/html.hpp>
#include <experiment/picture.hpp>
#include <experiment/plot_lines.hpp>
#include <experiment/report_page.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::app;

using test::message_of;
using test::PageStructure;
using test::replaced;

/// A text that is harmless only if it is escaped.
constexpr char hostile[] = "<b>&\"'</b><script>x</script>";

/// A document as gnuplot writes it.
std::string svg_document() {
  return "<?xml version=\"1.0\"?>\n<svg \n width=\"640\" height=\"300\"\n"
         " viewBox=\"0 0 640 300\"\n xmlns=\"http://www.w3.org/2000/svg\"\n>\n"
         "<g id=\"gnuplot_canvas\"><circle id='gpDot' r='1'/><use xlink:href='#gpDot'/>"
         "<text filter='url(#gpDot)'>a</text></g>\n</svg>\n";
}

SummaryRow row(std::string subject, std::string engine, double median, std::string answer = {}) {
  return {std::move(subject), std::move(engine), "serial", std::move(answer), 3, median,
          median / 2,         median * 2};
}

RunRecord sample_run() {
  RunRecord run;
  run.folder = "results/x";
  run.rows = {row("solo, n = 8", "slow", 0.5), row("solo, n = 8", "fast", 0.125),
              row("solo, n = 9", "slow", 2)};
  run.configuration = {{"title", "A title"},
                       {"baseline", "slow"},
                       {"sizes", {8, 9}},
                       {"engines",
                        {{{"name", "slow"}, {"tail", nullptr}, {"tiers", true}},
                         {{"name", "fast"}, {"tiers", true}}}}};
  run.provenance = {{"cpu", "A CPU"},
                    {"device", ""},
                    {"host_threads", "2"},
                    {"taper_version", "1.2"},
                    {"git_commit", "0123456789abcdef"},
                    {"git_dirty", "true"},
                    {"date_utc", "2026-01-02T03:04:05Z"}};
  run.verdict = "3 cases.";
  run.pictures = {{"scaling", "time over n", svg_document()}, {"bars", "bars", svg_document()}};
  return run;
}

PageStructure structure_of(std::vector<RunRecord> const& runs) {
  return PageStructure(report_page({}, runs));
}

TEST(ReportPage, IsWellFormedAndComplete) {
  auto const page = structure_of({sample_run(), sample_run()});
  EXPECT_EQ(page.problems(), std::vector<std::string>{});
  EXPECT_EQ(page.count("section"), 2);
  EXPECT_EQ(page.count("figure"), 4);
  EXPECT_EQ(page.count("svg"), 4);
  EXPECT_EQ(page.count("table"), 8);  // per run: times, quartiles, configuration, provenance
  EXPECT_EQ(page.count("nav"), 1);
  EXPECT_EQ(structure_of({sample_run()}).count("nav"), 0);
}

TEST(ReportPage, ShowsTimesSpeedupsAndTheFastest) {
  auto const html = report_page({}, std::array{sample_run()});
  EXPECT_NE(
      html.find("<td data-name=\"slow\"><span><b>500 ms</b></span><i "
                "style=\"--share:1.0000\"></i></td><td class=\"best\" data-name=\"fast\">"
                "<span><b>125 ms</b> <small>4.00x</small></span><i style=\"--share:0.2500\">"),
      std::string::npos)
      << html;
  // A case that one engine alone has run has no fastest engine.
  EXPECT_NE(
      html.find("<td data-name=\"slow\"><span><b>2.00 s</b></span><i style=\"--share:1.0000\">"
                "</i></td><td class=\"none\">-</td>"),
      std::string::npos);
  EXPECT_NE(html.find("Factors are speedups over slow."), std::string::npos);
  EXPECT_NE(html.find("<td data-name=\"lower quartile\"><span>250 ms</span></td>"),
            std::string::npos);
}

TEST(ReportPage, AnswersThatDifferStandBesideTheirTimes) {
  auto run = sample_run();
  run.rows = {row("a", "x", 1, "7"), row("a", "y", 2, "7"),    row("b", "x", 1, "5..9"),
              row("b", "y", 2, "6"), row("c", "x", 1, "5..9"), row("c", "y", 2, "5..9")};
  auto const html = report_page({}, std::array{run});
  EXPECT_NE(html.find("<td data-name=\"answer\"><span>7</span></td>"), std::string::npos);
  EXPECT_NE(html.find("<b>1.00 s</b> <small>5..9</small>"), std::string::npos);
  // An engine that did not finish is not the fastest.
  for (auto const* const subject : {"b", "c"}) {
    EXPECT_NE(html.find(fmt::format("<th scope=\"row\">{}</th><td class=\"none\">-</td>"
                                    "<td data-name=\"x\"><span><b>1.00 s</b> <small>5..9</small>",
                                    subject)),
              std::string::npos)
        << subject;
  }
  EXPECT_EQ(PageStructure(html).problems(), std::vector<std::string>{});
}

TEST(ReportPage, ShowsConfigurationAndOrigin) {
  auto const html = report_page({}, std::array{sample_run()});
  for (auto const* const text :
       {"<h1>A title</h1>", "<th scope=\"row\">sizes</th><td>8, 9</td>",
        "<li>name: slow, tail: none</li><li>name: fast</li><li>all: tiers: true</li>",
        "<code>results/x</code>", "A CPU, 2 threads", "commit 0123456789ab, changed since",
        "2026-01-02T03:04:05Z", "scaling: time over n"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  EXPECT_NE(report_page({"Title", "A note"}, std::array{sample_run()})
                .find("<h1>Title</h1>\n<p>A note</p>"),
            std::string::npos);
}

TEST(ReportPage, EscapesEveryText) {
  RunRecord run;
  run.folder = run.verdict = hostile;
  run.faults = run.notes = {hostile};
  run.rows = {row(hostile, hostile, 1, hostile), row(hostile, "\x01\xff", 1, "other")};
  run.rows.front().backend = hostile;
  run.configuration = {
      {"title", hostile}, {"baseline", hostile}, {hostile, {{{hostile, hostile}}}}};
  run.provenance = {{"device", hostile}, {"cpu", hostile}, {hostile, hostile}};
  for (auto const* const key : {"host_threads", "taper_version", "git_commit", "date_utc"}) {
    run.provenance[key] = hostile;
  }
  run.pictures = {{hostile, hostile, svg_document()}};
  auto const html = report_page({hostile, hostile}, std::array{run, run});
  EXPECT_EQ(PageStructure(html).problems(), std::vector<std::string>{});
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b>&"), std::string::npos);
  EXPECT_NE(html.find("\\x01\\xff"), std::string::npos);
}

TEST(ReportPage, ARunWithoutAnythingIsAPage) {
  EXPECT_EQ(structure_of({RunRecord{}}).problems(), std::vector<std::string>{});
}

TEST(ReportPage, ManyEnginesBecomeCards) {
  auto run = sample_run();
  run.rows.clear();
  for (int engine = 0; engine < 9; ++engine) {
    run.rows.push_back(row("a", fmt::format("e{}", engine), 1));
  }
  EXPECT_NE(report_page({}, std::array{run}).find("<table class=\"times cards\">"),
            std::string::npos);
  run.rows.resize(5);
  EXPECT_NE(report_page({}, std::array{run}).find("<table class=\"times many\">"),
            std::string::npos);
  run.rows.resize(4);
  EXPECT_NE(report_page({}, std::array{run}).find("<table class=\"times few\">"),
            std::string::npos);
}

TEST(ReportPage, TheCheckRefusesWrongPages) {
  auto const right = report_page({}, std::array{sample_run(), sample_run()});
  struct Wrong {
    std::string_view from, to, problem;
  };
  for (auto const& [from, to, problem] : std::vector<Wrong>{
           {"</section>", "", "</main> closes <section>"},
           {"-</td></tr>", "-</td><td></td></tr>", "a row has 4 cells, the first has 3"},
           {"id=\"run-2\"", "id=\"run-1\"", "two elements have the id 'run-1'"},
           {"href=\"#run-2\"", "href=\"#run-3\"", "no element has the id 'run-3'"},
           {"href=\"#run-2\"", "href=\"https://x.org\"", "refers to 'https://x.org'"},
           {"<figure>", "<img src=\"a.png\"><figure>", "refers to 'a.png'"},
           {"<figure>", "<script>x</script><figure>", "<script>"},
           {"</style>", "@import 'x';</style>", "the style sheet refers to other files"},
           {"</style>", "p{background:url(x.png)}</style>",
            "the style sheet refers to other files"},
           {"A title", "A & B", "'&' begins no entity"},
           {"role=\"img\" ", "", "a picture has no role or no label"}}) {
    auto const problems = PageStructure(replaced(right, from, to)).problems();
    ASSERT_FALSE(problems.empty()) << "expected: " << problem;
    EXPECT_NE(problems.front().find(problem), std::string::npos) << problems.front();
  }
}

TEST(Html, TextIsEscaped) {
  EXPECT_EQ(html_text("a<b>&\"c\"'d'\n"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39;\\x0a");
  EXPECT_EQ(html_text("h\xc3\xa9"), "h\xc3\xa9");
}

TEST(Html, PicturesGetTheirOwnIds) {
  EXPECT_EQ(inline_svg(svg_document(), "p1-", "a \"label\""),
            "<svg role=\"img\" aria-label=\"a &quot;label&quot;\" viewBox=\"0 0 640 300\" "
            "style=\"--width:640px\">\n"
            "<g id=\"p1-gnuplot_canvas\"><circle id='p1-gpDot' r='1'/>"
            "<use xlink:href='#p1-gpDot'/><text filter='url(#p1-gpDot)'>a</text></g>\n</svg>");
  for (auto const* const wrong : {"", "<html></html>", "<svg width=\"1\"", "</svg><svg>"}) {
    EXPECT_EQ(message_of([&] { inline_svg(wrong, "p", "x"); }),
              "the picture 'x' is not an SVG document");
  }
}

TEST(Html, PicturesOfGnuplotAreWellFormed) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "gnuplot was not found";
  }
  auto run = sample_run();
  std::vector<std::string> const engines{hostile, "b"};
  std::vector<Panel> const panels{
      {hostile, hostile, {{{1, 1, 1, 1}, {9, 2, 1, 3}}, {{1, 3, 3, 3}}}}};
  auto const picture = lines_picture(hostile, engines, panels, "s");
  run.pictures = {{"scaling", "x", draw_svg(picture, "x")}, {"again", "y", draw_svg(picture, "y")}};
  auto const html = report_page({}, std::array{run});
  EXPECT_EQ(PageStructure(html).problems(), std::vector<std::string>{});
  EXPECT_EQ(html.find("<script"), std::string::npos);
}

}  // namespace
