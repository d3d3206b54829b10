// Which of several runs is fastest, by how much, and through what. No drawing.

import { causesOf, failedText, slowLinkOf, slowPlace, triesOf } from './answer_run.js';
import { differences, keysOf } from './scenario.js';
import * as format from './format.js';

/** Closer together than this, times are the same. */
const SAME = 0.01;
/** Of several runs, which are as good as the fastest. */
const CLOSE = 0.05;

const quoted = (name) => `\`${name}\``;
const isFinished = (run) => run.summary.outcome === 'finished';

/** `38.1 against 11 M tokens/s`: the unit once where both have it. */
export function against(a, b) {
  const [unitA, unitB] = [a, b].map((text) => text.slice(text.indexOf(' ')));
  return `${unitA === unitB ? a.slice(0, a.indexOf(' ')) : a} against ${b}`;
}

const trainingOf = (run, job) => (run.summary.training ?? []).find((t) => (t.job ?? t.name) === job.name) ?? null;

/** What a job has to do, for whatever algorithm: bytes of its collective by nccl-tests, or what it sends; of training, operations for a token. */
function workOf({ job, training }) {
  if (training) return (training.model_flops_per_second * job.ranks) / training.tokens_per_second || null;
  return job.busbw_bytes_per_second * job.jct_seconds || job.bytes || null;
}

/** Other algorithms send other bytes for the same result. */
const IS_HOW = /^(algorithm|execution|skip|name)\b/;

/** What the scenario says of a job, but for how it does it; null: there is none. */
function orderOf({ run, job }) {
  const keys = keysOf(run.scenario ?? '');
  const place = keys.find(({ path, value }) => /^jobs\[\d+\]\.name$/.test(path) && value === job.name)?.path.replace('name', '');
  return place ? keys.filter(({ path }) => path.startsWith(place) && !IS_HOW.test(path.slice(place.length))).map(({ path, value }) => `${path.slice(place.length)}: ${value}`).join('\n') : null;
}

/** Whether times of a job can be compared: they say nothing of what differs between runs in which it does other things. */
function isAlike(list) {
  if (list.some(({ job }) => job.type !== list[0].job.type)) return false;
  const work = list.map(workOf);
  if (!work.every(Boolean) || Math.max(...work) - Math.min(...work) <= SAME * Math.max(...work)) return true;
  const orders = list.map(orderOf);
  return orders[0] !== null && orders.every((order) => order === orders[0]);
}

/** When the last message of an open loop is over says little: what it is for are tails. */
const isOpen = (job) => job.type === 'open-loop' && job.fct_seconds?.p99 > 0;

/** Jobs of one name in all finished runs; where each run has one job, that. */
function beside(runs) {
  const single = runs.every((run) => run.summary.jobs.length === 1);
  const names = single ? [runs[0].summary.jobs[0].name] : runs[0].summary.jobs.map((job) => job.name);
  return names.flatMap((name) => {
    const of = runs.map((run) => ({ run, job: single ? run.summary.jobs[0] : run.summary.jobs.find((j) => j.name === name) }));
    if (of.some(({ job }) => !job)) return [];
    const list = of.map(({ run, job }) => {
      const training = trainingOf(run, job);
      return { run, job, training, seconds: training?.step_seconds?.mean ?? (isOpen(job) ? job.fct_seconds.p99 : job.jct_seconds) };
    });
    return [{ name, list }];
  });
}

/** What is compared. */
const pairs = (runs) => beside(runs).filter(({ list }) => isAlike(list) && list.every((one) => one.seconds > 0));

/** `all-reduce that sends 16 MiB in `a`, 2.8 ms, 45 GB/s`. */
function doneText({ run, job, training, seconds }, isOneType) {
  const sends = isOneType && !training && job.bytes ? ` that sends ${format.bytes(job.bytes)}` : '';
  const rate = isOneType && job.busbw_bytes_per_second ? `, bus bandwidth ${format.bandwidth(job.busbw_bytes_per_second)}` : '';
  return `${job.type}${sends} in ${quoted(run.label)}, ${training ? 'a step of ' : ''}${format.time(seconds)}${rate}`;
}

/** Jobs that do not do the same are not compared. */
function unlike(runs) {
  const different = beside(runs).filter(({ list }) => !isAlike(list));
  if (!different.length) return null;
  const [{ name, list }] = different;
  const isOneType = list.every(({ job }) => job.type === list[0].job.type);
  const of = runs[0].summary.jobs.length > 1 ? ` of ${quoted(name)}` : '';
  return `the jobs${of} do not do the same, and are not compared: ${list.slice(0, 3).map((one) => doneText(one, isOneType)).join('; ')}`;
}

/** Steps with other tokens: `; but a step has 36.8 against 16.4 k tokens`. */
function workText({ best, worst, byToken }) {
  const word = best.job.ranks === worst.job.ranks ? 'but' : 'and';
  return byToken ? `; ${word} a step has ${against(...[best, worst].map((one) => format.tokens(tokensOf(one) * one.seconds).replace('/s', '')))}` : '';
}

/** Where all train steps of as many tokens, or none does: their times can be compared. */
function areStepsAlike(list) {
  const tokens = list.map((one) => (tokensOf(one) ?? 0) * one.seconds);
  return Math.max(...tokens) - Math.min(...tokens) <= SAME * Math.max(...tokens);
}

/** The fastest and the slowest: by time, and where steps have other tokens by the time for each. */
function extremes({ name, list }) {
  const byToken = !areStepsAlike(list) && list.every(tokensOf);
  const timeOf = (one) => (byToken ? 1 / tokensOf(one) : one.seconds);
  const sorted = [...list].sort((a, b) => timeOf(a) - timeOf(b));
  return { name, list, byToken, timeOf, best: sorted[0], worst: sorted.at(-1), ratio: timeOf(sorted.at(-1)) / timeOf(sorted[0]) };
}

const tokensOf = (one) => one.training?.tokens_per_second ?? null;
const mfuOf = (one) => one.training?.mfu ?? null;
const costOf = (one) => one.training?.dollars_per_million_tokens ?? null;

/** The run whose tokens are cheapest, where it is not the fastest and all prices are known: a reader may want that one. */
function cheaperText({ list, best }) {
  if (!list.every(costOf)) return '';
  const cheapest = [...list].sort((a, b) => costOf(a) - costOf(b))[0];
  if (costOf(best) <= (1 + SAME) * costOf(cheapest)) return '';
  return `; but ${quoted(cheapest.run.label)} is cheaper: 1 M tokens cost ${format.dollars(costOf(cheapest))} against ${format.dollars(costOf(best))}`;
}

/** What others took less makes more than all of it. */
const shareText = ({ share }) => (share >= 0.995 ? 'all' : format.roughly(share));

const slowSeconds = (blamed) => (blamed.slow_links ?? []).reduce((all, l) => all + Number(l.seconds), 0);

/** Through which cause the slower run took longer: {cause, share} of what differs. */
function reasonOf(best, worst) {
  const [fast, slow] = [best, worst].map(({ run, job }) => run.blame?.find((b) => b.job === job.name));
  if (!fast || !slow || slow.seconds <= fast.seconds) return null;
  const more = slow.seconds - fast.seconds;
  const link = slowLinkOf(slow);
  const atSlowLinks = slowSeconds(slow) - slowSeconds(fast);
  // A slow link shows as other causes, too: where most of the difference is there, it is the reason.
  if (link && atSlowLinks > more / 2) {
    return { cause: `slow links${slowPlace(link.link)}`, name: 'slow links', share: Math.min(1, atSlowLinks / more) };
  }
  const before = new Map(causesOf(fast).map((c) => [c.cause, c.seconds]));
  const [first] = causesOf(slow).map((c) => ({ cause: c.cause, more: c.seconds - (before.get(c.cause) ?? 0) })).sort((a, b) => b.more - a.more);
  return first.more > 0 ? { cause: first.cause, name: first.cause, share: first.more / more } : null;
}

function unfinished(runs) {
  const list = runs.filter((run) => !isFinished(run));
  if (!list.length) return '';
  const words = { horizon: 'was cut off', deadlocked: 'deadlocked', stalled: 'stalled', stuck: 'was stuck', interrupted: 'was interrupted' };
  return list.map((run) => `${quoted(run.label)} ${words[run.summary.outcome] ?? run.summary.outcome}`).join(', ');
}

/** So many keys are named. More of them are another scenario rather than a change of it. */
const MOST_KEYS = 3;

/** Keys that change nothing of what is simulated. */
const IS_OF_NO_EFFECT = /^(weft$|name$|observe\b)/;

/** A job that not all runs have differs as a whole, and not by each of its keys. */
function keysThatDiffer(runs) {
  const keys = differences(runs.map((run) => run.scenario)).filter(({ path }) => !IS_OF_NO_EFFECT.test(path));
  const added = keys.filter(({ path, values }) => /^jobs\[\d+\]\.name$/.test(path) && values.some((v) => v === undefined));
  const placeOf = ({ path }) => path.slice(0, path.indexOf(']') + 1);
  const places = new Set(added.map(placeOf));
  return keys.filter((key) => added.includes(key) || !(key.path.startsWith('jobs[') && places.has(placeOf(key))));
}

/** Of `jobs[1].skip`, or of the name of a job that is not everywhere, the job, and the runs that have it; null: the key is another one. */
function skippedJob({ path, values }, runs) {
  if (/^jobs\[\d+\]\.name$/.test(path) && values.some((v) => v === undefined)) {
    return { name: quoted(values.find((v) => v !== undefined)), having: runs.filter((run, i) => values[i] !== undefined).map((run) => quoted(run.label)).join(', ') };
  }
  const [, place] = /^jobs\[(\d+)\]\.skip$/.exec(path) ?? [];
  const having = runs.filter((run, i) => values[i] !== 'true');
  const name = place && keysOf(having[0]?.scenario ?? '').find((key) => key.path === `jobs[${place}].name`)?.value;
  return name ? { name: quoted(name), having: having.map((run) => quoted(run.label)).join(', ') } : null;
}

/** What a key is for in the places of a list: `fabric.cables[].rate`. */
const ofList = (path) => path.replaceAll(/\[\d+\]/g, '[]');

/** Names of keys; of those of one list's elements the first, and how many there are. */
function namesOf(keys, runs) {
  const groups = new Map();
  for (const key of keys) groups.set(ofList(key.path), [...(groups.get(ofList(key.path)) ?? []), key]);
  return [...groups.values()].map(([first, ...others]) => skippedJob(first, runs) && !others.length ? `job ${skippedJob(first, runs).name}` : (others.length > 1 ? `${quoted(ofList(first.path))} in ${others.length + 1} places` : [first, ...others].map(({ path }) => quoted(path)).join(', ')));
}

/** Where few keys differ, they are the reason; of many the first, and how many more there are. */
function keysText(keys, runs) {
  if (!keys.length) return '';
  const job = keys.length === 1 && skippedJob(keys[0], runs);
  if (job) return `; only ${job.having} ${job.having.includes(', ') ? 'have' : 'has'} job ${job.name}`;
  const names = namesOf(keys, runs);
  if (names.length === 1) return `; only ${names[0]} ${keys.length === 1 ? 'differs' : 'differ'}`;
  if (names.length <= MOST_KEYS) return `; only ${names.slice(0, -1).join(', ')} and ${names.at(-1)} differ`;
  return `; ${names.slice(0, MOST_KEYS).join(', ')} and ${format.counted(names.length - MOST_KEYS, 'more key', 'more keys')} differ`;
}

/** What the fastest run has set otherwise than the slowest is known to help: it is tried first. */
function asInBest(keys, runs, { best, worst, ratio }) {
  if (keys.length > MOST_KEYS) return [];
  const [at, from] = [best, worst].map(({ run }) => runs.indexOf(run));
  const changed = keys.filter(({ values }) => values[at] !== values[from]);
  // More GPUs are faster, and are no setting.
  if (best.job.ranks !== worst.job.ranks) return [];
  const canBeSaid = changed.every(({ path, values }) => path !== 'seed' && !/\.skip$|^jobs\[\d+\]\.name$/.test(path) && values[at]?.length < 60);
  if (ratio < 1 + SAME || !changed.length || !canBeSaid) return [];
  const text = changed.map(({ path, values }) => quoted(`${path}: ${values[at]}`)).join(', ');
  return [{ layer: 'what differs', text: `${text}, as in ${quoted(best.run.label)}`, why: `${format.times(ratio)} times as fast` }];
}

/** Runs that a horizon cut are run again first: they say nothing yet. */
const beyond = (runs) => runs.filter((run) => run.summary.outcome === 'horizon').map((run) => ({
  layer: 'what the scenario sets', text: `a horizon, \`run.until\`, beyond ${format.time(run.summary.simulated_seconds)}`, why: `it cut ${run.label} off` }));

/** Of more than two runs those that are as good as the fastest. */
function closeText({ list, best, worst, timeOf }) {
  const near = list.filter((one) => one !== best && one !== worst && timeOf(one) <= (1 + CLOSE) * timeOf(best));
  if (list.length < 3) return '';
  if (!near.length) return '; none other is within 5 % of it';
  return `; ${near.length > 3 ? `${near.length} others are` : `${near.map((one) => quoted(one.run.label)).join(', ')} ${near.length > 1 ? 'are' : 'is'}`} within 5 % of it`;
}

function tries(one, runs) {
  if (one) {
    const { worst } = one;
    const blamed = worst.run.blame?.find((b) => b.job === worst.job.name);
    if (blamed) return triesOf(worst.run, [{ job: worst.job, blamed }]).map((t) => ({ ...t, why: `${t.why}, in ${worst.run.label}` }));
  }
  return runs.every((run) => run.blame?.length) ? [] : [{ layer: 'what is recorded', text: '`weft run SCENARIO --blame` of each says through which cause they differ', why: 'not all runs looked for culprits' }];
}

/** Of jobs on other numbers of ranks what each rank does: nobody is faster for having more. */
function ranksText({ best, worst }) {
  const [a, b] = [best, worst].map(({ job }) => job.ranks);
  if (a === b || !a || !b) return '';
  const each = best.training && worst.training && tokensOf(best) && tokensOf(worst)
    ? `${against(...[best, worst].map((one) => format.tokens(tokensOf(one) / one.job.ranks)))} for each`
    : best.job.busbw_bytes_per_second && worst.job.busbw_bytes_per_second
      ? `bus bandwidth ${against(...[best, worst].map(({ job }) => format.bandwidth(job.busbw_bytes_per_second)))}`
      : 'which are other jobs';
  return `; but on ${format.number(a)} against ${format.number(b)} ranks: ${each}`;
}

/** `; `a` is simulated by packets, `b` as a fluid`. */
function engineText(runs) {
  const words = { packet: 'by packets', fluid: 'as a fluid' };
  if (new Set(runs.map((run) => run.summary.engine)).size < 2) return '';
  return `; ${runs.map((run) => `${quoted(run.label)} is simulated ${words[run.summary.engine] ?? `by ${run.summary.engine}`}`).join(', ')}`;
}

/** Tails that differ by less are not worth a word beside times that are the same. */
const TAIL = 0.1;

/** Where times are the same: the job whose slowest messages differ most. What happens rarely, such as a time-out, shows there alone. */
function tailText(all) {
  const tails = all.flatMap(({ name, list }) => ['p99', 'max'].map((of) => {
    const sorted = list.filter(({ job }) => job.fct_seconds?.[of] > 0).sort((a, b) => a.job.fct_seconds[of] - b.job.fct_seconds[of]);
    return sorted.length < 2 ? null : { name, of, fast: sorted[0], slow: sorted.at(-1), ratio: sorted.at(-1).job.fct_seconds[of] / sorted[0].job.fct_seconds[of] };
  })).filter((one) => one && one.ratio > 1 + TAIL);
  const [one] = tails.sort((a, b) => b.ratio - a.ratio);
  if (!one) return '';
  const who = one.of === 'max' ? 'the slowest message' : '1 in 100 messages';
  return `; but ${who} of ${quoted(one.name)} takes ${format.times(one.ratio)} times as long in ${quoted(one.slow.run.label)}: ${against(...[one.slow, one.fast].map(({ job }) => format.time(job.fct_seconds[one.of])))}`;
}

/** Runs of one scenario that differ in the seed alone say what chance makes of it, and none is better. */
function chanceAnswer(one, known, before, advice) {
  const { best, worst, ratio, name } = one;
  const range = `${format.time(best.seconds)} to ${format.time(worst.seconds)}`;
  const what = best.training ? `a step of ${quoted(name)} takes` : isOpen(best.job) ? `1 in 100 messages of ${quoted(name)} takes` : `${quoted(name)} takes`;
  return {
    sentence: `${before}chance alone: only the seed differs, and ${what} ${range} in ${known.length} runs; a change of the scenario that makes less than ${format.percent(ratio - 1)} is not told from it`,
    figures: [['by the seed alone', format.percent(ratio - 1)], ['least', format.time(best.seconds)], ['greatest', format.time(worst.seconds)]],
    tries: [...advice, { layer: 'what is compared', text: 'several seeds of each scenario: `weft sweep` with `seeds: 5` has means with their intervals', why: 'one run of each does not tell a change from chance' }],
  };
}

const MOST_JOBS = 2;

/** Which jobs were compared is said where there are few of them. */
function sameText(all) {
  const names = all.map((p) => quoted(p.name));
  if (names.length === 2) return `neither ${names[0]} nor ${names[1]} differs`;
  return names.length > 2 ? `none of ${names.length} jobs differs` : 'no job differs';
}

/** Two of them by name, and how many more. */
const listed = (texts) => `${texts.slice(0, MOST_JOBS).join(' and ')}${texts.length > MOST_JOBS ? ` and ${format.counted(texts.length - MOST_JOBS, 'more job', 'more jobs')}` : ''}`;

/** Of the other jobs: in which the run is faster, too, in which another one is, and which take the same. */
function otherJobsText(one, all) {
  const others = all.filter((p) => p !== one).sort((a, b) => b.ratio - a.ratio);
  const differ = others.filter((p) => p.ratio >= 1 + SAME);
  const also = differ.filter((p) => p.best.run === one.best.run).map((p) => `${format.times(p.ratio)} times in ${quoted(p.name)}`);
  const elsewhere = differ.filter((p) => p.best.run !== one.best.run).map((p) => `${quoted(p.best.run.label)} is ${format.times(p.ratio)} times as fast in ${quoted(p.name)}`);
  const same = others.filter((p) => p.ratio < 1 + SAME).map((p) => quoted(p.name));
  return [also.length ? `, and ${listed(also)}` : '', elsewhere.length ? `; but ${listed(elsewhere)}` : '',
    same.length ? `; ${listed(same)} ${same.length > 1 ? 'take' : 'takes'} the same` : ''].join('');
}

/** `expectations` are of these runs together, which each may have its own besides. */
export function answerOfRuns(runs, expectations = []) {
  const answer = comparedAnswer(runs);
  if (!expectations.length) return answer;
  const failed = failedText({ expectations });
  const held = expectations.filter((one) => one.holds).length;
  const all = expectations.length === 1 ? 'the expectation holds' : `all ${expectations.length} expectations hold`;
  return { ...answer, sentence: failed ? `${failed}; ${answer.sentence}` : `${answer.sentence}; ${all}`,
    figures: [['expectations that hold', `${held} of ${expectations.length}`], ...answer.figures].slice(0, 4) };
}

function comparedAnswer(runs) {
  const known = runs.filter(isFinished);
  const broken = unfinished(runs);
  const all = known.length > 1 ? pairs(known).map(extremes) : [];
  const one = [...all].sort((a, b) => b.ratio - a.ratio)[0];
  const failed = runs.filter(failedText).map((run) => `${quoted(run.label)}: ${failedText(run)}; `).join('');
  const before = `${failed}${broken ? `${broken}; ` : ''}`;
  const keys = keysThatDiffer(known);
  const advice = [...beyond(runs), ...(one ? asInBest(keys, known, one) : []), ...(one && one.ratio < 1 + SAME ? [] : tries(one, runs))];
  if (!one) {
    const rest = known.length > 1 ? unlike(known) ?? 'no job is in all runs that finished' : known.length ? `only ${quoted(known[0].label)} finished` : 'no run finished';
    return { sentence: `${before}${rest}${known.length > 1 ? keysText(keys, known) : ''}`, figures: [['runs finished', `${known.length} of ${runs.length}`]], tries: advice };
  }
  const { best, worst, ratio, name, byToken } = one;
  const apart = unlike(known);
  const inJob = all.length > 1 ? ` in ${quoted(name)}` : '';
  const why = keysText(keys, known) + engineText(known);
  const cost = costOf(best) && costOf(worst) ? [['1 M tokens cost', `${format.dollars(costOf(best))} against ${format.dollars(costOf(worst))}`]] : [];
  if (ratio >= 1 + SAME && keys.length && keys.every(({ path }) => path === 'seed')) return chanceAnswer(one, known, before, advice);
  if (ratio < 1 + SAME) return { sentence: `${before}${broken ? 'of the others ' : ''}${sameText(all)} by more than ${format.percent(Math.max(ratio - 1, 0.001))}${tailText(all)}${cheaperText(one)}${why}`, figures: [...all.slice(0, 2).map((p) => [`${p.name} took`, format.time(p.best.seconds)]), ...cost.map(([title, text]) => [`${title}, ${best.run.label} against ${worst.run.label}`, text])], tries: advice };
  const tokens = tokensOf(best) && tokensOf(worst) ? [format.tokens(tokensOf(best)), format.tokens(tokensOf(worst))] : null;
  const values = tokens ?? [format.time(best.seconds), format.time(worst.seconds)];
  const place = known.length > 2 ? `is the fastest of ${known.length} runs${inJob}: ${format.times(ratio)} times as fast as ${quoted(worst.run.label)}, the slowest` : `is ${format.times(ratio)} times as fast${inJob}`;
  const others = otherJobsText(one, all);
  const mfu = mfuOf(best) && mfuOf(worst) ? [format.percent(mfuOf(best)), format.percent(mfuOf(worst))] : null;
  // Of steps with other tokens the difference is also one of work.
  const reason = byToken ? null : reasonOf(best, worst);
  const sentence = `${before}${quoted(best.run.label)} ${place}: ${isOpen(best.job) ? '99 % of its messages are over within ' : ''}${against(...values)}${others}${reason ? `; ${shareText(reason)} of the difference${others ? inJob : ''} is ${reason.cause}` : ''}${closeText(one)}${cheaperText(one)}${ranksText(one)}${workText(one)}${apart ? `; ${apart}` : ''}${why}`;
  const what = best.training ? 'a step' : isOpen(best.job) ? `p99 of ${name}` : name;
  const last = mfu ? [['MFU', against(...mfu)]] : reason ? [[`of it ${reason.name}`, shareText(reason)]] : [];
  // With the cost there are five: what both train at stands in one of them.
  const both = cost.length && tokens && last.length ? [[`trains at, ${best.run.label} against ${worst.run.label}`, against(...tokens), 'best']] : null;
  return { sentence, tries: advice, figures: [
    ['as fast', `${format.times(ratio)}x`],
    ...(both ?? (byToken ? [[`trains at, ${best.run.label}`, tokens[0], 'best'], [`trains at, ${worst.run.label}`, tokens[1]]]
      : [[`${what}, ${best.run.label}`, format.time(best.seconds), 'best'], [`${what}, ${worst.run.label}`, format.time(worst.seconds)]])),
    ...last, ...cost] };
}
