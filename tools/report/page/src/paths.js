// States of the paths that senders select (MRC's): how many are good, skipped or assumed bad, and how that changed.

import { el, section } from './dom.js';
import { faultsOf } from './faults.js';
import { timeChart } from './time_chart.js';
import { table } from './table.js';
import * as format from './format.js';
import { badOverTime, columnsOf, number, pathsText } from './path_texts.js';

function curvesOf(run, index) {
  const bad = badOverTime(run.summary);
  if (!bad) return null;
  const place = el('div', { class: 'paths' });
  const label = ({ plane }) => (bad.planes.length > 1 ? `plane ${plane}` : 'assumed bad');
  timeChart(place, {
    index,
    who: 'paths',
    faults: faultsOf(run),
    label: 'entropy values assumed bad over time',
    unit: { label: 'values assumed bad', show: format.number },
    borders: bad.times,
    curves: bad.planes.map((one) => ({ label: label(one), values: one.values })),
  });
  return place;
}

export function paths(run, index) {
  const { path_planes: planes = [], path_states: hosts = [] } = run.summary;
  if (!planes.length) return null;
  return section('paths', 'Path states', el('p', { class: 'hint' }, pathsText(planes)),
    table(columnsOf(planes, [number('hosts', 'hosts'), number('queue pairs', 'queue_pairs')]), planes,
      { caption: planes.length > 1 ? 'By plane; states are those at the end' : 'States are those at the end' }),
    curvesOf(run, index),
    hosts.length ? table(columnsOf(planes, [{ title: 'host', value: (one) => one.host, isText: true }]), hosts, { caption: 'Hosts whose paths failed', filter: true, most: 12 }) : null);
}
