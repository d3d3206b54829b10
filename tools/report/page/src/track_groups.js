// Tracks as a tree: jobs, hosts, ranks, streams. Culprits stand first. No drawing.

import { causesOf, fillerOf } from './answer_run.js';
import { firstFrom, inNumbers } from './tracks.js';

const RANK = /^(.*) rank (\d+)(?: \((.*)\))?$/;
const JOB = /^job (.*)$/;

/** Of a rank its streams in the order of its work; messages stand last. */
const ORDER = [/^critical path$/, /^iterations$/, /^compute$/, /^messages/];
const placeOf = (name) => {
  const at = ORDER.findIndex((o) => o.test(name));
  return at === 3 ? 9 : at < 0 ? 5 : at;
};
const inOrder = (a, b) => placeOf(a.name) - placeOf(b.name) || inNumbers(a.name, b.name);

/** `gpt rank 3 (gpu3)` -> {job, rank, host}; `job gpt` -> {job}; of others the name is the job's. */
export function ownerOf(process) {
  const rank = RANK.exec(process);
  if (rank) return { job: rank[1], rank: Number(rank[2]), host: rank[3] ?? '' };
  return { job: JOB.exec(process)?.[1] ?? process, rank: null, host: '' };
}

/** Of the time of its job: a rank to blame for less is no culprit. */
const WORTH = 0.01;

/**
 * Seconds for which each rank of a job is to blame beyond its plan: `job rank` -> seconds. Other causes name a rank that
 * sends, waits or launches: it is not late.
 */
export function culpritsOf(blame) {
  const seconds = new Map();
  for (const { job, rows, seconds: whole } of blame ?? []) {
    for (const [cause, , culprit, , time] of rows) {
      const rank = cause === 'straggler' ? /^rank (\d+)/.exec(culprit) : null;
      if (rank) seconds.set(`${job} ${rank[1]}`, (seconds.get(`${job} ${rank[1]}`) ?? 0) + time);
    }
    for (const [key, time] of seconds) if (key.startsWith(`${job} `) && time < WORTH * whole) seconds.delete(key);
  }
  return seconds;
}

/** Seconds that each job costs others: those that wait behind its packets, or for a port that it fills: `job` -> seconds. */
export function jobCulpritsOf(blame = []) {
  const seconds = new Map();
  const add = (name, victim, time) => {
    if (name && name !== victim) seconds.set(name, (seconds.get(name) ?? 0) + time);
  };
  for (const blamed of blame) {
    const { job, rows, seconds: whole } = blamed;
    const own = rows.filter(([cause, kind, , , time]) => cause === 'queueing' && kind === 'job' && time >= WORTH * whole);
    for (const [, , culprit, , time] of own) add(culprit, job, time);
    const causes = causesOf(blamed);
    const pause = causes.find((c) => c.cause === 'pause' && c.share >= WORTH);
    if (pause) add(fillerOf({ blame }, job, causes), job, pause.seconds);
  }
  return seconds;
}

const group = (kind, key, title, children, blamed = 0) => ({ kind, key, title, children, blamed });
const leaf = (track) => ({
  kind: 'track',
  key: `${track.process}\n${track.name}`,
  title: track.name,
  track,
  blamed: 0,
});

const byBlame = (a, b) => b.blamed - a.blamed;

/** Ranks of a host, or of a scale-up domain, under a group of their own where there are several. */
function hostsOf(job, ranks, domainOf) {
  const groups = new Map();
  for (const rank of ranks) {
    const key = domainOf.get(rank.host) ?? rank.host;
    groups.set(key, [...(groups.get(key) ?? []), rank]);
  }
  const isWorth = groups.size > 1 && groups.size < ranks.length;
  const node = (rank) =>
    group(
      'rank',
      `${job} rank ${rank.rank}`,
      `rank ${rank.rank}${rank.host ? ` (${rank.host})` : ''}`,
      rank.tracks.sort(inOrder).map(leaf),
      rank.blamed,
    );
  if (!isWorth) return ranks.map(node).sort(byBlame);
  return [...groups.values()]
    .map((own) => {
      const [first, last] = [own[0].host, own.at(-1).host];
      return group(
        'host',
        `${job} host ${first}`,
        first === last ? `host ${first}` : `hosts ${first} to ${last}`,
        own.map(node).sort(byBlame),
        Math.max(...own.map((r) => r.blamed)),
      );
    })
    .sort(byBlame);
}

/** The tree of all tracks; `domains` has names of hosts that are one server or rack. */
export function groupsOf(tracks, { domains = [], blame = [] } = {}) {
  const domainOf = new Map(domains.flatMap((names) => names.map((name) => [name, names[0]])));
  const culprits = culpritsOf(blame);
  const jobCulprits = jobCulpritsOf(blame);
  const jobs = new Map();
  for (const track of tracks) {
    const owner = ownerOf(track.process);
    if (!jobs.has(owner.job)) jobs.set(owner.job, { own: [], ranks: new Map() });
    const job = jobs.get(owner.job);
    if (owner.rank === null) {
      job.own.push(track);
      continue;
    }
    if (!job.ranks.has(owner.rank))
      job.ranks.set(owner.rank, { ...owner, tracks: [], blamed: culprits.get(`${owner.job} ${owner.rank}`) ?? 0 });
    job.ranks.get(owner.rank).tracks.push(track);
  }
  return [...jobs]
    .map(([name, { own, ranks }]) => {
      const inTurn = [...ranks.values()].sort((a, b) => a.rank - b.rank);
      return group(
        'job',
        `job ${name}`,
        name,
        [...own.sort(inOrder).map(leaf), ...hostsOf(name, inTurn, domainOf)],
        (jobCulprits.get(name) ?? 0) + Math.max(0, ...inTurn.map((r) => r.blamed)),
      );
    })
    .sort(byBlame);
}

/** Rows in their order: a group, and what is in it where its key is in `open`. */
export function rowsOf(groups, open, fits = () => true, depth = 0) {
  return groups.flatMap((node) => {
    if (node.kind === 'track') return fits(node.track) ? [{ node, depth }] : [];
    const inside = open.has(node.key) ? rowsOf(node.children, open, fits, depth + 1) : [];
    return [{ node, depth }, ...inside];
  });
}

export const tracksOf = (node) => (node.kind === 'track' ? [node.track] : node.children.flatMap(tracksOf));
export const ranksOf = (node) =>
  node.kind === 'track' ? 0 : node.kind === 'rank' ? 1 : node.children.reduce((sum, child) => sum + ranksOf(child), 0);

/** Keys of the groups around a track, outermost first. */
export function pathTo(groups, track) {
  for (const node of groups) {
    if (node.kind === 'track') {
      if (node.track === track) return [];
      continue;
    }
    const inside = pathTo(node.children, track);
    if (inside) return [node.key, ...inside];
  }
  return null;
}

const telling = new WeakMap();

/** What a closed group shows: what its ranks compute and exchange; messages only where there is nothing else. */
export function tellingOf(node) {
  if (!telling.has(node)) {
    const all = tracksOf(node).filter((t) => !t.isCritical && t.name !== 'iterations');
    const streams = all.filter((t) => !/^messages|: steps/.test(t.name));
    telling.set(node, streams.length ? streams : all);
  }
  return telling.get(node);
}

/**
 * Of columns of time the shares that each look has, `counted` tracks being the whole: look -> share by column. `looks`
 * are those of names. It goes through every slice in sight whenever the range changes, so it allocates nothing there.
 */
export function sharesOf(tracks, counted, from, to, columns, looks) {
  const shares = new Map();
  const scale = columns / (to - from);
  const weight = 1 / counted;
  let [last, list] = [null, null];
  for (const track of tracks) {
    const { begins, ends, names } = track;
    let until = from;
    for (let i = firstFrom(track, from - track.longest); i < begins.length; ++i) {
      const [begin, end] = [begins[i], ends[i]];
      if (begin >= to) break;
      // Of slices in each other the outermost counts.
      if (end <= until) continue;
      const look = looks[names[i]];
      if (look !== last) {
        last = look;
        list = shares.get(look);
        if (!list) shares.set(look, (list = new Float32Array(columns)));
      }
      addTo(list, ((begin > until ? begin : until) - from) * scale, ((end < to ? end : to) - from) * scale, weight);
      until = end;
    }
  }
  return shares;
}

function addTo(list, begin, end, weight) {
  const first = Math.floor(begin);
  const last = Math.min(list.length - 1, Math.floor(end));
  if (first === last) {
    list[first] += (end - begin) * weight;
    return;
  }
  list[first] += (first + 1 - begin) * weight;
  for (let x = first + 1; x < last; ++x) list[x] += weight;
  list[last] += (end - last) * weight;
}
