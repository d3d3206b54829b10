// Tables that sort by any column and filter by words.

import { el, replace } from './dom.js';

const isEmpty = (v) => v === null || v === undefined || v === '';

function compare(a, b) {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** Rows in order; what is missing stands last either way. */
export function sorted(rows, value, isFalling) {
  const none = (row) => value(row) === null || value(row) === undefined;
  return [...rows].sort((a, b) =>
    none(a) - none(b) || (isFalling ? compare(value(b), value(a)) : compare(value(a), value(b))));
}

/**
 * Columns: {title, value(row), show(row) -> text or node, isText}. Options: {filter: true, most, caption,
 * sort: index, falling}. The node's `setRows` shows others, in the same order.
 */
export function table(given, all, options = {}) {
  let rows = all;
  // A column of nothing says nothing.
  const columns = given.filter((column) => !all.length || all.some((row) => !isEmpty(column.value(row))));
  let order = columns.indexOf(given[options.sort]);
  let isFalling = options.falling ?? false;
  let words = '';
  let most = options.most ?? 100;
  const body = el('tbody');
  const heads = columns.map((column, i) => el('th', { scope: 'col', class: column.isText ? 'text' : '' },
    el('button', { type: 'button', onclick: () => sortBy(i) }, column.title)));
  const more = el('button', { type: 'button', class: 'more', onclick: () => { most *= 10; draw(); } });

  const said = (row) => columns.map((c) => String(c.value(row) ?? '')).join(' ').toLowerCase();

  function sortBy(i) {
    isFalling = order === i ? !isFalling : !columns[i].isText;
    order = i;
    draw();
  }

  function draw() {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = wanted.length ? rows.filter((row) => wanted.every((w) => said(row).includes(w))) : rows;
    if (order >= 0) shown = sorted(shown, columns[order].value, isFalling);
    heads.forEach((head, i) => head.setAttribute('aria-sort',
      i !== order ? 'none' : isFalling ? 'descending' : 'ascending'));
    replace(body, shown.slice(0, most).map((row) => el('tr', {}, columns.map((c) => {
      const cell = c.show ? c.show(row) : c.value(row) ?? '–';
      return el('td', { class: c.isText ? 'text' : '' }, cell);
    }))));
    more.hidden = shown.length <= most;
    more.textContent = `${shown.length - most} more rows`;
  }

  draw();
  const filter = options.filter && rows.length > 8
    ? el('label', { class: 'filter' }, 'Filter ', el('input', { type: 'search', oninput: (e) => { words = e.target.value; draw(); } }))
    : null;
  const node = el('div', { class: 'table' }, filter,
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': options.caption ?? 'table' },
      el('table', {}, options.caption ? el('caption', {}, options.caption) : null,
        el('thead', {}, el('tr', {}, heads)), body)), more);
  node.setRows = (others) => { rows = others; draw(); };
  return node;
}
