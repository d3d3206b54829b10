// What is wrong in a run, and where: what the fabric is coloured by, and what it marks. No drawing.

import { culpritOfRun } from './answer_run.js';

/** By the worst cause of blame, which number of ports shows it. */
const SHOWS = {
  pause: 'paused_s',
  queueing: 'peak_queue_bytes',
  'own packets': 'peak_queue_bytes',
  credits: 'credit_stall_s',
  'congestion control': 'ecn_marks',
  retransmission: 'drops',
  'time-out': 'drops',
  'link failure': 'drops',
  'link retry': 'blame_s',
  serialisation: 'utilisation',
  compute: 'utilisation',
};

/** The number of ports to begin with: drops first, then what the worst cause is about, then what there is. */
export function wrongMetric(run, options) {
  const has = (name) => options.some(([known]) => known === name);
  const { columns } = run.ports;
  const isLossy = ['buffer_drops', 'fault_drops', 'ttl_drops', 'wred_drops', 'watchdog_drops', 'error_drops'].find((name) =>
    columns[name]?.some((v) => v > 0),
  );
  if (isLossy && isLossy !== 'error_drops' && has('drops')) return 'drops';
  if (isLossy && has('error_drops')) return 'error_drops';
  const culprit = culpritOfRun(run);
  const wanted = culprit && SHOWS[culprit.cause];
  if (wanted && has(wanted)) return wanted;
  // What was sent again was lost, or trimmed.
  if ((!culprit || wanted === 'drops') && has('trimmed')) return 'trimmed';
  return ['blame_s', 'paused_s', 'peak_queue_bytes'].find(has) ?? options[0][0];
}

/** The node that a culprit is at: `NIC of h0` -> `h0`, `rank 16 (h16)` -> `h16`, a pair -> its sender. */
export function nodeOf(who) {
  const found = /^NIC of (.+)$/.exec(who) ?? /^rank \d+(?: -> rank \d+)? \((.+?)(?: -> .+)?\)$/.exec(who);
  return found?.[1] ?? '';
}

/** What to mark on the fabric: {node} or {port}, and why; null where nobody is to blame. */
export function markOf(run) {
  const culprit = culpritOfRun(run);
  if (!culprit) return null;
  const node = nodeOf(culprit.who);
  const ports = run.ports.names;
  if (node && ports.some((name) => name.startsWith(`${node}->`) || name.endsWith(`->${node}`)))
    return { node, text: `culprit: ${culprit.who}` };
  const port = [culprit.who, culprit.port].find((name) => ports.includes(name));
  return port ? { port, text: `culprit: ${culprit.cause} at ${port}` } : null;
}
