// States of the paths that senders select (MRC's): how many are good, skipped or assumed bad, and how that changed.

import { el, section } from './dom.js';
import { axes, chart } from './curves.js';
import { ofSeries } from './colour.js';
import { table } from './table.js';
import * as format from './format.js';
import { badOverTime, columnsOf, number, pathsText } from './path_texts.js';

function curvesOf(summary) {
  const bad = badOverTime(summary);
  if (!bad) return null;
  const place = el('div', { class: 'paths' });
  const label = ({ plane }) => (bad.planes.length > 1 ? `plane ${plane}` : 'assumed bad');
  chart(
    place,
    {
      scales: { x: { time: false }, y: { range: (u, least, most) => [0, (most || 1) * 1.05] } },
      axes: axes({ label: 'time', show: format.time }, { label: 'values assumed bad', show: format.number }),
      series: [
        { label: 'time', value: (u, v) => (v === null ? '–' : format.time(v)) },
        ...bad.planes.map((one, i) => ({ label: label(one), stroke: ofSeries(i), width: 1.5, points: { show: false }, value: (u, v) => (v === null ? '–' : format.number(v)) })),
      ],
    },
    [bad.times, ...bad.planes.map((one) => one.values)],
    'entropy values assumed bad over time',
  );
  return place;
}

export function paths(run) {
  const { path_planes: planes = [], path_states: hosts = [] } = run.summary;
  if (!planes.length) return null;
  return section('paths', 'Path states', el('p', { class: 'hint' }, pathsText(planes)),
    table(columnsOf(planes, [number('hosts', 'hosts'), number('queue pairs', 'queue_pairs')]), planes,
      { caption: planes.length > 1 ? 'By plane; states are those at the end' : 'States are those at the end' }),
    curvesOf(run.summary),
    hosts.length ? table(columnsOf(planes, [{ title: 'host', value: (one) => one.host, isText: true }]), hosts, { caption: 'Hosts whose paths failed', filter: true, most: 12 }) : null);
}
