// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace taper::app {

// The style sheet of report pages.
//
// Pictures keep a legible size and scroll in their frame if the page is narrower. In the dark, a
// filter exchanges light and dark and keeps the hue.
inline constexpr std::string_view report_style = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --paper: #ffffff;
  --card: #f6f8fa; --bar: #8fb8de; --best: #0a6b4f; --bad: #b3261e; --link: #0b57a4; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #a3adb8; --line: #3a424b; --paper: #0d1117; --card: #161b22;
    --bar: #35658f; --best: #58d6a9; --bad: #ff8a80; --link: #7ab8ff; }
  figure svg { filter: invert(0.93) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1rem; max-width: 78rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.5rem 0 0.5rem; padding-top: 0.8rem;
  border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 0.4rem; }
p { margin: 0.4rem 0; }
a { color: var(--link); }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.9em; }
.soft, caption, figcaption { color: var(--soft); font-size: 0.9rem; }
.fault { color: var(--bad); font-weight: 600; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding-bottom: 0.4rem; }
th, td { padding: 0.3rem 0.5rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
thead th { vertical-align: bottom; }
.times td { position: relative; padding-bottom: 0.6rem; font-variant-numeric: tabular-nums; }
.times th, .times td, .quartiles th, .quartiles td { min-width: 6rem; }
.times b, .times small { display: inline-block; }
.times .best b { color: var(--best); }
.times td:not(.best) b { font-weight: 400; }
.times small { color: var(--soft); margin-left: 0.4em; }
.times i { position: absolute; left: 0.5rem; bottom: 0.15rem; height: 0.25rem; min-width: 1px;
  width: calc(var(--share) * (100% - 1rem)); background: var(--bar); print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }
.pairs th { width: 14rem; font-weight: 400; color: var(--soft); }
.pairs ul { margin: 0; padding-left: 1.1rem; }
figure { margin: 1rem 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); }
.scroll svg { display: block; width: 100%; max-width: var(--width); height: auto; margin: 0 auto;
  min-width: calc(var(--width) * 0.7); }
details { margin: 0.8rem 0; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 40rem) {
  .pairs, .pairs tbody, .pairs tr, .pairs th, .pairs td { display: block; width: auto; }
  .pairs th { border: 0; padding-bottom: 0; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  h2 { break-before: page; }
  h2.first { break-before: auto; }
  h2, h3, summary { break-after: avoid; }
  nav { display: none; }
  figure, tr { break-inside: avoid; }
  .scroll { overflow: visible; border: 0; }
  .scroll svg { min-width: 0; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
)css";

// The rules of a table whose rows are cards, each with a line per engine.
inline constexpr std::string_view card_style = R"css(
.cards, .cards caption, .cards tbody, .cards tr, .cards th, .cards td { display: block; }
.cards th { width: auto; }
.cards thead, .cards .none { display: none; }
.cards tbody { display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr));
  gap: 0.7rem; }
.cards tr { background: var(--card); border: 1px solid var(--line); border-radius: 0.4rem;
  padding: 0.3rem 0; break-inside: avoid; }
.cards th, .cards td { border: 0; }
.cards td { display: flex; gap: 0.6rem; justify-content: space-between; }
.cards td::before { content: attr(data-name); color: var(--soft); flex: 1 1 45%; }
.cards td span { flex: 0 1 auto; text-align: right; }
)css";

}  // namespace taper::app
