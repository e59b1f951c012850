// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/html_style.hpp"

namespace faultline::drawing {

const char* const kHtmlStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f6f8; --ink: #1b2733; --faint: #546270; --rule: #c9d1d9;
  --link: #0b57a4; --good: #17643a; --bad: #9c3d00; --alarm: #b3261e; --alarm-ground: #fdecea;
  --grid: #d5dbe1;
  --line-1: #0072b2; --line-2: #d55e00; --line-3: #009e73; --line-4: #cc79a7; --line-5: #091d00;
  --line-6: #2c1dc9; --line-7: #c0172a; --line-8: #975e75; --line-9: #400045; --line-10: #aa76fc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12171d; --raised: #1c232b; --ink: #e3e9ef; --faint: #a3b0bd; --rule: #3a4551;
    --link: #7ab8f5; --good: #6fd39b; --bad: #ffb077; --alarm: #ff9a91; --alarm-ground: #43201d;
    --grid: #35404b;
    --line-1: #56b4e9; --line-2: #e69f00; --line-3: #158827; --line-4: #8a6a79; --line-5: #d4e2c6;
    --line-6: #5667ff; --line-7: #f45255; --line-8: #fffa1a; --line-9: #a3aaa7; --line-10: #96f1ee;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); line-height: 1.5;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
header, main, nav, footer { max-width: 78rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 0.25rem; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 3rem 0 0.75rem; padding-top: 0.75rem;
  border-top: 2px solid var(--rule); }
h3 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
h1, h2, h3, p, li, figcaption, summary { overflow-wrap: anywhere; }
p, ul { max-width: 50rem; margin: 0.5rem 0; }
.about, caption, figcaption, .note { color: var(--faint); }
a { color: var(--link); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--ground); padding: 0.5rem 1rem;
  z-index: 2; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav ul { padding-left: 1.2rem; }
nav > ul { padding-left: 0; list-style: none; }
code, pre { font-family: ui-monospace, "SF Mono", "Liberation Mono", Menlo, monospace;
  font-size: 0.875rem; }
pre { background: var(--raised); border: 1px solid var(--rule); border-radius: 6px;
  margin: 0.5rem 0; padding: 0.6rem 0.8rem; overflow-x: auto; }
.scroll { overflow: auto; max-height: 34rem; max-width: 100%; margin: 0.5rem 0;
  border: 1px solid var(--rule); border-radius: 6px; }
table { border-collapse: collapse; font-size: 0.9rem; min-width: 100%; }
caption { text-align: left; padding: 0.4rem 0.7rem; font-size: 0.85rem; }
th, td { padding: 0.3rem 0.7rem; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: top; }
thead th { position: sticky; top: 0; background: var(--raised); white-space: nowrap; }
tbody th { font-weight: 500; width: 1%; white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.verdict, td.plain { white-space: nowrap; }
td.long { min-width: 15rem; }
.match { color: var(--good); font-weight: 600; }
.differs { color: var(--bad); font-weight: 600; }
.other { color: var(--faint); font-weight: 600; }
.alarm, tr.unexpected .verdict { color: var(--alarm); font-weight: 700; }
tr.unexpected > * { background: var(--alarm-ground); }
.figures { display: grid; gap: 1.25rem; margin: 1rem 0;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); }
figure { margin: 0; min-width: 0; border: 1px solid var(--rule); border-radius: 8px;
  padding: 0.75rem; }
figure.wide { grid-column: 1 / -1; }
figure .drawing { overflow-x: auto; }
figure svg { display: block; max-width: 100%; height: auto; margin: 0 auto; color: var(--ink); }
figure:not(.wide) svg { width: 100%; max-width: 34rem; }
figcaption { font-size: 0.9rem; margin-top: 0.5rem; }
figcaption strong { color: var(--ink); display: block; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; color: var(--link); font-size: 0.9rem; padding: 0.15rem 0; }
.figures table { font-size: 0.82rem; }
.counts { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; padding: 0; list-style: none; }
footer { margin-top: 3rem; padding-bottom: 2rem; color: var(--faint); font-size: 0.85rem; }
@media (max-width: 60rem) { figure.wide svg { max-width: none; } }
@media (max-width: 40rem) {
  header, main, nav, footer { padding: 0 0.9rem; }
  header { padding-top: 1rem; }
  h1 { font-size: 1.5rem; }
  h2 { font-size: 1.25rem; }
  figure { padding: 0.4rem; }
  th, td { padding: 0.3rem 0.5rem; }
  tbody th { white-space: normal; min-width: 7.5rem; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff; --raised: #f4f6f8; --ink: #000000; --faint: #444444; --rule: #bbbbbb;
    --link: #000000; --good: #17643a; --bad: #9c3d00; --alarm: #b3261e; --alarm-ground: #fdecea;
    --grid: #d5dbe1;
    --line-1: #0072b2; --line-2: #d55e00; --line-3: #009e73; --line-4: #cc79a7; --line-5: #091d00;
    --line-6: #2c1dc9; --line-7: #c0172a; --line-8: #975e75; --line-9: #400045; --line-10: #aa76fc;
  }
  @page { margin: 12mm; }
  body { font-size: 10pt; line-height: 1.35; }
  header, main, footer { max-width: none; padding: 0; }
  nav, .skip { display: none; }
  h1 { font-size: 18pt; }
  h2 { font-size: 14pt; margin: 14pt 0 4pt; padding-top: 6pt; }
  h3 { font-size: 11pt; margin: 10pt 0 3pt; }
  .scroll { max-height: none; overflow: visible; border: 0; margin: 4pt 0; }
  table { font-size: 7.5pt; min-width: 0; }
  caption, table code { font-size: inherit; }
  th, td { padding: 1.5pt 4pt; }
  td.verdict, td.plain, thead th { white-space: normal; }
  td.long { min-width: 0; }
  thead th { position: static; }
  pre { white-space: pre-wrap; font-size: 7.5pt; margin: 4pt 0; padding: 3pt 5pt; }
  figure, tr { break-inside: avoid; }
  h2, h3, caption, thead, tbody tr:first-child, tbody tr:nth-last-child(2) { break-after: avoid; }
  h3 + p { break-after: avoid; }
  pre { break-before: avoid; break-inside: avoid; }
  p { orphans: 3; widows: 3; }
  .figures { display: block; margin: 4pt 0; orphans: 1; widows: 1; }
  figure { display: inline-block; width: 49%; vertical-align: top; border: 0; padding: 0;
    margin: 0 0 4pt; }
  figure.wide { display: block; width: auto; }
  figure:not(.wide) svg { max-height: 54mm; }
  figure.wide svg { max-width: 100%; }
  figcaption { font-size: 7.5pt; line-height: 1.2; margin-top: 1pt; }
  details:not([open]) { display: none; }
}
)css";

}  // namespace faultline::drawing
