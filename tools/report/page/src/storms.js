// Storms of pauses as trees, and who lost time to them.

import { el, section, action } from './dom.js';
import { showPort } from './blame.js';
import { table } from './table.js';
import * as format from './format.js';

const MOST_BRANCHES = 300;

/** A list of {port, parent, ...} as nested lists. */
export function childrenOf(tree) {
  const children = tree.map(() => []);
  const roots = [];
  tree.forEach((node, i) => (node.parent === null || node.parent === undefined ? roots : children[node.parent]).push(i));
  return { roots, children };
}

function branch(tree, children, i, index) {
  const node = tree[i];
  const said = [action(node.port, () => showPort(index, node.port), 'show on the fabric'), `: ${format.number(node.pauses)} pause${node.pauses === 1 ? '' : 's'}, ${format.time(node.paused_seconds)}, from ${format.time(node.first_seconds)}`];
  if (!children[i].length) return el('li', {}, said);
  return el('li', {}, el('details', { open: node.depth < 4 }, el('summary', {}, said), el('ul', {}, children[i].map((c) => branch(tree, children, c, index)))));
}

function storm(one, index, isOpen) {
  const tree = (one.tree ?? []).slice(0, MOST_BRANCHES);
  const { roots, children } = childrenOf(tree);
  const root = one.ports.join(', ');
  const kind = one.root === 'nic' ? `NIC behind ${root}` : one.root === 'cycle' ? `cycle of ${root}` : root;
  return el('details', { class: 'storm', open: isOpen }, el('summary', {}, el('strong', {}, kind), ` (${one.class}): ${format.counted(one.pauses, 'pause', 'pauses')} at ${format.counted(one.paused_ports, 'port', 'ports')}, ${format.counted(one.paused_nics, 'NIC', 'NICs')}; ${format.number(one.depth)} deep; ${format.time(one.paused_seconds)} in all`),
    el('ul', { class: 'tree' }, roots.map((i) => branch(tree, children, i, index))),
    one.branches > tree.length ? el('p', { class: 'hint' }, `${format.number(one.branches - tree.length)} more branches are in summary.json.`) : null);
}

function victims(run) {
  const { columns, rows } = run.victims ?? { columns: [], rows: [] };
  if (!rows?.length) return null;
  const isNumber = columns.map((name) => /_s$|share|rank|pair/.test(name));
  return table(columns.map((name, c) => ({
    title: format.words(name), isText: !isNumber[c],
    value: (row) => (isNumber[c] && row[c] !== '' ? Number(row[c]) : row[c]),
    show: (row) => (isNumber[c] && row[c] !== '' ? format.byName(name, Number(row[c])) : row[c]),
  })), rows, { caption: 'Victims: flows that lost time though the root lies elsewhere', filter: true, most: 12 });
}

export function storms(run, index) {
  const list = run.summary.pause_storms?.storms ?? [];
  const lost = victims(run);
  if (!list.length && !lost) return null;
  const count = run.summary.pause_storms?.count ?? list.length;
  return section('storms', 'Storms of pauses', el('p', { class: 'hint' }, `${format.number(count)} storm${count === 1 ? '' : 's'}${count > list.length ? `, of which ${list.length} are here` : ''}. Each opens into a tree: who paused whom.`),
    list.map((one, i) => storm(one, index, i === 0)), lost);
}
