// What is asked of a page from within it. Each stands alone: its text is sent to the browser.

/** Texts that are hard to read: less than 4.5 to 1 (WCAG 2.2, 1.4.3) against what is behind them. */
export function contrasts() {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const light = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ({ r, g, b }) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.a > 0.9) return colour;
    }
    return parse(getComputedStyle(document.body).backgroundColor);
  };
  const bad = new Set();
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.getClientRects().length) continue;
    const style = getComputedStyle(node);
    const ink = node.namespaceURI.endsWith('svg') ? style.fill : style.color;
    const box = node.namespaceURI.endsWith('svg') ? node.closest('g')?.querySelector('rect') : null;
    const fill = box ? getComputedStyle(box).fill : 'none';
    const paper = fill.startsWith('rgb') ? parse(fill) : behind(node.closest('svg') ?? node);
    const [a, b] = [luminance(parse(ink)), luminance(paper)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.add(`${ratio.toFixed(2)}: ${node.tagName} ${walker.currentNode.textContent.slice(0, 40)}`);
  }
  return [...bad].slice(0, 10);
}

/** Numbers what the tabulator key should reach; says how much that is. */
export function focusables() {
  // What lies in a closed part can be reached once it is open; its heading can be reached always.
  const isOpen = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const around = at.parentElement;
      if (around?.tagName === 'DETAILS' && !around.open && at.tagName !== 'SUMMARY') return false;
    }
    return true;
  };
  const all = [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')]
    .filter((node) => node.getClientRects().length && !node.disabled && isOpen(node));
  all.forEach((node, i) => { node.dataset.stop = i; });
  return all.length;
}

/** What makes the page wider than its window; empty: nothing. */
export function overflow() {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return '';
  const wide = [...document.querySelectorAll('main *')].filter((node) => node.getBoundingClientRect().right > width + 1 && !node.closest('.scroll'));
  return `${document.documentElement.scrollWidth} of ${width}: ${wide.slice(0, 3).map((n) => n.outerHTML.slice(0, 120)).join(' | ')}`;
}
