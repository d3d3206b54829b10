// The fabric as `weft topo` draws it, coloured by what one chooses.

import { el, svg, section, choice, replace, action } from './dom.js';
import { on, hears } from './bus.js';
import { visit } from './history.js';
import { markOf, wrongMetric } from './wrong.js';
import { Moments } from './moments_control.js';
import { momentOf as pointedAt, onTime } from './time_range.js';
import { table } from './table.js';
import { heat, difference, ramp, rampOfDifference, onOtherColours } from './colour.js';
import { boxesOf, curveOf, viewOf } from './drawing.js';
import { PanZoom } from './pan_zoom.js';
import { momentOf } from './moments.js';
import * as format from './format.js';

/** What ports can be coloured by: columns of ports.csv, and what blame says of them. */
export const METRICS = [
  { name: 'utilisation', title: 'utilisation', columns: ['utilisation'], most: 1 },
  { name: 'peak_queue_bytes', title: 'peak queue', columns: ['peak_queue_bytes'] },
  { name: 'mean_queue_bytes', title: 'mean queue', columns: ['mean_queue_bytes'] },
  { name: 'ecn_marks', title: 'ECN marks', columns: ['ecn_marks'] },
  { name: 'paused_s', title: 'time paused', columns: ['paused_s'] },
  { name: 'pauses_sent', title: 'pauses sent', columns: ['pauses_sent'] },
  { name: 'credit_stall_s', title: 'credit stalls', columns: ['credit_stall_s'] },
  { name: 'trimmed', title: 'packets trimmed', columns: ['trimmed'] },
  { name: 'drops', title: 'drops', columns: ['buffer_drops', 'ttl_drops', 'fault_drops', 'wred_drops', 'watchdog_drops', 'retry_drops', 'poison_drops'] },
  { name: 'error_drops', title: 'lost to errors of links', columns: ['error_drops'] },
];

/** Values by port of a run; null where the run has none of it. */
export function valuesOf(run, metric) {
  if (metric === 'blame_s') return blameByPort(run);
  const columns = METRICS.find((m) => m.name === metric)
    .columns.map((name) => run.ports.columns[name])
    .filter(Boolean);
  if (!columns.length) return null;
  return run.ports.names.map((_, i) => columns.reduce((sum, column) => sum + column[i], 0));
}

function blameByPort(run) {
  if (!run.blame?.length) return null;
  const numbers = new Map(run.ports.names.map((name, i) => [name, i]));
  const values = new Array(run.ports.names.length).fill(0);
  for (const job of run.blame) {
    for (const [, , , port, seconds] of job.rows) if (numbers.has(port)) values[numbers.get(port)] += seconds;
  }
  return values;
}

/** What was recorded over time of ports, and how the fabric shows a moment of it. */
const MOMENTS = [
  ['queues', 'queue at a moment', format.bytes],
  ['marks', 'marks at a moment', format.marks],
  ['pauses', 'paused at a moment', format.percent],
  ['credits', 'without credits at a moment', format.percent],
];
/** Of the most that there is: less has no arrow. */
const LEAST_SHOWN = 0.05;

export class Fabric {
  constructor(runs, index) {
    this.runs = runs;
    this.index = index;
    this.run = runs[index];
    this.metric = 'utilisation';
    this.step = 0;
    this.panel = el('div', { class: 'panel', 'aria-live': 'polite' });
    this.legend = el('div', { class: 'scale' });
    this.picture = el('div', { class: 'scroll picture', tabindex: 0, role: 'region', 'aria-label': 'fabric' });
    this.portsOfLine = [];
    this.portsOfBox = [];
    this.way = null;
    const places = this.run.fabric.places ?? [];
    for (let port = 0; port * 3 < places.length; ++port) {
      const [line, from, to] = places.slice(3 * port, 3 * port + 3);
      if (line >= 0) (this.portsOfLine[line] ??= []).push(port);
      for (const box of new Set([from, to])) if (box >= 0) (this.portsOfBox[box] ??= []).push(port);
    }
  }

  options() {
    const list = METRICS.filter((m) => this.values(m.name)?.some((v) => v !== 0)).map((m) => [m.name, m.title]);
    if (this.values('blame_s')) list.push(['blame_s', 'blame']);
    for (const [kind, title] of MOMENTS)
      if (this.run.series?.[kind]?.moments.ports.length) list.push([`at ${kind}`, title]);
    return list.length ? list : [['utilisation', 'utilisation']];
  }

  /** Which recording a metric is of; null: it is of the whole run. */
  kindOf(metric) {
    return metric.startsWith('at ') ? metric.slice(3) : null;
  }

  /** Of one run its values; of several what the shown one has more than the first. */
  values(metric) {
    if (this.kindOf(metric))
      return momentOf(this.run.series[this.kindOf(metric)].moments, this.run.ports.names, this.step);
    const own = valuesOf(this.run, metric);
    if (this.runs.length === 1 || this.index === 0 || !own) return own;
    const other = valuesOf(this.runs[0], metric);
    if (!other) return null;
    const numbers = new Map(this.runs[0].ports.names.map((name, i) => [name, i]));
    return own.map((value, i) => value - (other[numbers.get(this.run.ports.names[i])] ?? 0));
  }

  show(port, value) {
    const moment = MOMENTS.find(([kind]) => kind === this.kindOf(this.metric));
    return moment ? moment[2](value) : format.byName(this.metric, value);
  }

  /** Makes the picture once; colours come and go. */
  draw() {
    const drawn = this.run.fabric;
    if (!drawn.boxes) return el('p', {}, `The fabric cannot be drawn: ${drawn.reason}`);
    this.lines = drawn.lines.map((line, i) => {
      return svg(
        'path',
        {
          ...curveOf(line),
          'stroke-width': Math.max(1.4, line.pen),
          class: 'cable',
          tabindex: 0,
          role: 'button',
          'aria-label': line.title,
          onclick: () => this.showPorts(this.portsOfLine[i], line.title),
          onkeydown: (e2) => {
            if (e2.key === 'Enter') this.showPorts(this.portsOfLine[i], line.title);
          },
        },
        svg('title', {}, line.title),
      );
    });
    this.boxes = boxesOf(drawn, (i) => this.showPorts(this.portsOfBox[i], drawn.boxes[i].title ?? ''));
    this.heads = drawn.lines.map(() => svg('path', { class: 'direction', hidden: true }));
    const view = viewOf(drawn);
    const picture = svg(
      'svg',
      {
        viewBox: view.join(' '),
        style: `min-width:${Math.min(drawn.width, 640)}px`,
        class: 'fabric',
      },
      this.lines,
      this.heads,
      this.boxes,
      this.drawMark(),
    );
    this.view = new PanZoom(picture, view);
    replace(this.picture, this.view.node);
    this.colour();
    return this.picture;
  }

  /** A ring around the node that is to blame, or both ends of the port. */
  drawMark() {
    this.mark = markOf(this.run);
    if (!this.mark) return [];
    const { places } = this.run.fabric;
    const { names } = this.run.ports;
    const { node, port, text } = this.mark;
    const own = node
      ? names.flatMap((name, p) =>
          name.startsWith(`${node}->`) ? [places[3 * p + 1]] : name.endsWith(`->${node}`) ? [places[3 * p + 2]] : [],
        )
      : [1, 2].map((end) => places[3 * names.indexOf(port) + end]);
    const boxes = [...new Set(own)].filter((i) => i >= 0).map((i) => this.run.fabric.boxes[i]);
    return boxes.map((box) =>
      svg(
        'rect',
        { class: 'culprit', x: box.x - 5, y: box.y - 5, width: box.w + 10, height: box.h + 10, rx: 7 },
        svg('title', {}, text),
      ),
    );
  }

  colour() {
    const values = this.values(this.metric) ?? [];
    const isDifference = this.runs.length > 1 && this.index > 0 && !this.kindOf(this.metric);
    const kind = this.kindOf(this.metric);
    const top =
      (kind ? this.run.series[kind].moments.most : values.reduce((most, v) => Math.max(most, Math.abs(v)), 0)) || 1;
    const paint = (v) => (isDifference ? difference(v / top) : heat(v / top));
    const worst = (ports) =>
      (ports ?? []).reduce((most, p) => (Math.abs(values[p]) > Math.abs(most) ? values[p] : most), 0);
    const worstOf = (ports) =>
      (ports ?? []).reduce(
        (most, p) => (most === null || Math.abs(values[p]) > Math.abs(values[most]) ? p : most),
        null,
      );
    const onWay = this.way && new Set(this.way);
    this.lines?.forEach((line, i) => {
      const ports = this.portsOfLine[i];
      line.setAttribute('stroke', ports ? paint(worst(ports)) : 'var(--line)');
      line.classList.toggle('dim', Boolean(onWay) && !ports?.some((p) => onWay.has(p)));
      line.classList.toggle('lit', Boolean(onWay) && Boolean(ports?.some((p) => onWay.has(p))));
    });
    this.heads?.forEach((head, i) => this.point(head, i, worstOf(this.portsOfLine[i]), values, top));
    this.boxes?.forEach((box, i) => {
      if (!this.portsOfBox[i] || !this.run.fabric.boxes[i].nodes) return;
      box.querySelector('rect').style.stroke = paint(worst(this.portsOfBox[i]));
    });
    const low = isDifference ? this.show(0, -top) : this.show(0, 0);
    replace(
      this.legend,
      el('span', {}, low),
      el('span', { class: 'ramp', style: isDifference ? rampOfDifference() : ramp() }),
      el('span', {}, this.show(0, top)),
      el(
        'span',
        { class: 'hint' },
        isDifference
          ? ' more than in the first run; a line by the port that differs most'
          : ' a line by its worst port; an arrow is the direction that is worse',
      ),
      this.mark ? el('span', {}, el('i', { class: 'ring' }), this.mark.text) : null,
    );
  }

  /** An arrow on the middle of a line, the way its worst port sends, where the other way has less than half of it. */
  point(head, i, port, values, top) {
    const own = this.portsOfLine[i] ?? [];
    const { places, boxes, lines } = this.run.fabric;
    const size = port === null ? 0 : Math.abs(values[port]);
    const other = own
      .filter((p) => places[3 * p + 1] !== places[3 * port + 1])
      .reduce((most, p) => Math.max(most, Math.abs(values[p])), 0);
    const isShown = size > LEAST_SHOWN * top && other < size / 2;
    head.toggleAttribute('hidden', !isShown);
    if (!isShown) return;
    const [a, b, c, d, e, f, g, h] = lines[i].curve;
    const [x, y] = [(a + 3 * c + 3 * e + g) / 8, (b + 3 * d + 3 * f + h) / 8];
    const source = boxes[places[3 * port + 1]];
    const near = (px, py) => Math.hypot(px - (source.x + source.w / 2), py - (source.y + source.h / 2));
    const sign = near(a, b) <= near(g, h) ? 1 : -1;
    const angle = Math.atan2(sign * (f + h - b - d), sign * (e + g - a - c)) * (180 / Math.PI);
    head.setAttribute('d', 'M6 0L-5 5L-5 -5Z');
    head.setAttribute('transform', `translate(${x} ${y}) rotate(${angle.toFixed(1)})`);
    head.dataset.port = this.run.ports.names[port];
  }

  /** What is known of some ports, the worst first. */
  showPorts(ports, title) {
    if (!ports) return;
    const values = this.values(this.metric) ?? [];
    const { names, columns } = this.run.ports;
    const series = this.run.series ?? {};
    const recorded = new Set(
      MOMENTS.flatMap(([kind]) =>
        (series[kind]?.series ?? []).map((s) => s.name.slice(0, s.name.lastIndexOf(' '))),
      ),
    );
    const shown = Object.keys(columns).filter((c) => c !== 'rate_bps' && ports.some((p) => columns[c][p] !== 0));
    const worst = [...ports].sort((a, b) => Math.abs(values[b] ?? 0) - Math.abs(values[a] ?? 0));
    replace(
      this.panel,
      el('h3', { tabindex: -1 }, title),
      table(
        [
          {
            title: 'port',
            value: (p) => names[p],
            show: (p) =>
              recorded.has(names[p]) && hears('series')
                ? action(names[p], () => visit('series', { run: this.index, name: names[p] }, 'series'), 'over time')
                : names[p],
            isText: true,
          },
          ...(this.metric === 'blame_s' || this.runs.length > 1
            ? [
                {
                  title: this.options().find(([m]) => m === this.metric)?.[1] ?? this.metric,
                  value: (p) => values[p],
                  show: (p) => this.show(p, values[p]),
                },
              ]
            : []),
          ...shown.map((c) => ({
            title: format.words(c),
            value: (p) => columns[c][p],
            show: (p) => format.byName(c, columns[c][p]),
          })),
        ],
        worst,
        { caption: 'Ports', most: 12 },
      ),
      this.blameOf(ports),
      this.howToRecord(worst, recorded),
    );
  }

  /** Where nothing was recorded over time: what does. */
  howToRecord(ports, recorded) {
    if (ports.some((p) => recorded.has(this.run.ports.names[p]))) return null;
    const sender = this.run.ports.names[ports[0]].replace(/(\[\d+\])?->.*$/, '');
    return el(
      'p',
      { class: 'hint' },
      'Nothing was recorded here over time; ',
      el('code', {}, `--set 'observe.queues=[${sender}]'`),
      ', ',
      el('code', {}, `--set 'observe.marks=[${sender}]'`),
      ' and ',
      el('code', {}, '--set observe.pauses=true'),
      ' would.',
    );
  }

  blameOf(ports) {
    if (!this.run.blame) return null;
    const names = new Set(ports.map((p) => this.run.ports.names[p]));
    const rows = this.run.blame
      .flatMap((job) => job.rows.filter((r) => names.has(r[3])).map((r) => ({ job: job.job, r })))
      .sort((a, b) => b.r[4] - a.r[4])
      .slice(0, 6);
    if (!rows.length) return null;
    return el(
      'p',
      {},
      'To blame here: ',
      rows
        .map(
          ({ job, r }, i) =>
            `${i ? '; ' : ''}${r[0]} through ${r[2]}${ports.length > 1 ? ` at ${r[3]}` : ''}, ${format.time(r[4])} of ${job}`,
        )
        .join(''),
    );
  }

  /** A host by its name: the ports at it. */
  showHost(name) {
    const { names } = this.run.ports;
    const ports = names.flatMap((port, i) => (port.startsWith(`${name}->`) || port.endsWith(`->${name}`) ? [i] : []));
    if (!ports.length) return;
    this.way = ports;
    this.colour();
    this.showPorts(ports, name);
  }

  showPort(name) {
    const port = this.run.ports.names.indexOf(name);
    if (port < 0) {
      replace(this.panel, el('p', {}, `${name} is not among the ports on this page.`));
      return;
    }
    this.way = [port];
    this.colour();
    this.showPorts([port], name);
  }
}

export function fabric(runs) {
  let shown = null;
  const place = el('div', {});
  const controls = el('div', { class: 'controls' });
  const moments = new Moments(() => {
    time();
    shown.colour();
  });
  function use(index, metric) {
    const next = new Fabric(runs, index);
    const options = next.options();
    const wanted = metric ?? shown?.metric;
    next.metric = options.some(([name]) => name === wanted) ? wanted : wrongMetric(runs[index], options);
    shown = next;
    moments.use(index);
    replace(
      controls,
      runs.length > 1
        ? choice(
            'run',
            runs.map((run, i) => [String(i), i ? `${run.label} less the first` : run.label]),
            (v) => use(Number(v)),
            String(index),
          )
        : null,
      choice(
        'coloured by',
        options,
        (v) => {
          shown.metric = v;
          time();
          shown.colour();
        },
        next.metric,
      ),
      el(
        'button',
        {
          type: 'button',
          title: 'show all ways again',
          onclick: () => {
            shown.way = null;
            shown.colour();
            replace(shown.panel);
          },
        },
        'all ways',
      ),
      moments.node,
    );
    time();
    const drawn = next.draw();
    replace(place, next.legend, drawn, next.panel);
  }
  function time() {
    const kind = shown.kindOf(shown.metric);
    moments.node.hidden = !kind;
    if (!kind) {
      moments.stop();
      return;
    }
    shown.step = moments.step;
    moments.show();
  }
  runs.forEach((_, index) =>
    onTime(index, 'fabric', ({ moment }) => {
      if (moment !== null && index === shown.index && shown.kindOf(shown.metric)) moments.follow(moment);
    }),
  );
  on('port', ({ run, name }) => {
    if (run !== shown.index) use(run, 'blame_s');
    shown.showPort(name);
  });
  on('host', ({ run, name }) => {
    if (run !== shown.index) use(run);
    shown.showHost(name);
  });
  on('way', ({ run, message, text }) => {
    if (run !== shown.index) use(run);
    shown.way = runs[run].fabric.ways?.[message] ?? null;
    shown.colour();
    shown.showPorts(shown.way, text);
  });
  use(runs.length > 1 ? 1 : 0);
  if (pointedAt(shown.index) !== null) moments.follow(pointedAt(shown.index));
  onOtherColours(() => shown.colour());
  return section('fabric', 'The fabric', controls, place);
}
