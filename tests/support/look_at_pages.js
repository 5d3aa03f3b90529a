// SPDX-License-Identifier: Apache-2.0
//
// Looks at pages in the iframes of a page and writes what is wrong with them into its <pre>: a line "NAME: PROBLEM"
// each, and a line "NAME: COUNT tables, COUNT pictures". An iframe has data-name, data-scheme (light or dark), and its
// own width. tests/apps/report_browser.sh makes that page.
'use strict';

/** Red, green, blue and alpha of a computed colour. */
function colour(text) {
  const parts = text.match(/[\d.]+/g).map(Number);
  return parts.length < 4 ? [...parts, 1] : parts;
}

/** Relative luminance (WCAG 2). */
function luminance([red, green, blue]) {
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = [red, green, blue].map((c) => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of the text of an element with the background behind it. */
function contrast(view, element) {
  let behind = element;
  while (behind && colour(view.getComputedStyle(behind).backgroundColor)[3] < 1) {
    behind = behind.parentElement;
  }
  const back = luminance(behind ? colour(view.getComputedStyle(behind).backgroundColor) : [255, 255, 255]);
  const text = luminance(colour(view.getComputedStyle(element).color));
  return (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05);
}

const isShown = (element) => element.getBoundingClientRect().width > 0 && element.getBoundingClientRect().height > 0;
const hasOwnText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
const nameOf = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">`;

/** What is wrong with the page in a frame. Pictures may be wider than their frames, which scroll. */
function problems(frame) {
  const view = frame.contentWindow;
  const page = frame.contentDocument;
  const width = page.documentElement.clientWidth;
  const found = [];
  if (view.matchMedia('(prefers-color-scheme: dark)').matches !== (frame.dataset.scheme === 'dark')) {
    found.push(`the browser does not show the page ${frame.dataset.scheme}`);
  }
  const isLight = luminance(colour(view.getComputedStyle(page.body).backgroundColor)) > 0.5;
  if (isLight !== (frame.dataset.scheme === 'light')) {
    found.push(`the page is ${isLight ? 'light' : 'dark'}`);
  }
  if (page.documentElement.scrollWidth > width) {
    found.push(`the page is ${page.documentElement.scrollWidth} px wide`);
  }
  for (const element of page.body.querySelectorAll('*')) {
    const scrolls = element.closest('.scroll');
    if (!isShown(element) || (scrolls && scrolls !== element)) {
      continue;
    }
    const {left, right} = element.getBoundingClientRect();
    if (left < -0.5 || right > width + 0.5) {
      found.push(`${nameOf(element)} reaches from ${left} to ${right} px`);
    }
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && !scrolls) {
      found.push(`${nameOf(element)} is narrower than its content`);
    }
    if (hasOwnText(element) && contrast(view, element) < 4.5) {
      found.push(`${nameOf(element)} has a contrast of ${contrast(view, element).toFixed(1)}`);
    }
    const isLong = element.textContent.trim().length > 3; // "11x" is narrow
    if (hasOwnText(element) && element.tagName !== 'SPAN' && isLong && right - left < 20) {
      found.push(`${nameOf(element)} breaks its text into letters`);
    }
  }
  for (const svg of page.querySelectorAll('figure svg')) {
    const labels = [...svg.querySelectorAll('text')].map((text) => text.getBoundingClientRect().height);
    if (labels.length === 0 || Math.max(...labels) < 8) {
      found.push('a picture has no legible text');
    }
  }
  return [...new Set(found)];
}

window.addEventListener('load', () => {
  const lines = [];
  for (const frame of document.querySelectorAll('iframe')) {
    const name = frame.dataset.name;
    frame.contentDocument.querySelectorAll('details').forEach((details) => { details.open = true; });
    lines.push(...problems(frame).map((problem) => `${name}: ${problem}`));
    const shown = (selector) => [...frame.contentDocument.querySelectorAll(selector)].filter(isShown).length;
    lines.push(`${name}: ${shown('.times')} tables, ${shown('figure svg')} pictures`);
  }
  document.querySelector('pre').textContent = `\n${lines.join('\n')}\n`;
});
