// What a run comes to, in a sentence with at most four figures, and what to try next. No drawing.

import * as format from './format.js';
import { keysOf } from './scenario.js';

/** Within which a job takes what an empty network would. */
const HEALTHY = 1.1;
/** From which on the slowdown of messages is said of a run whose jobs are healthy. */
const SLOW_MESSAGES = 2;
/** Messages that take this many times the median are a tail. */
const TAIL = 2;
/** Of the time of a job: what is less is not worth a sentence. */
const WORTH = 0.05;

/** Causes that a job has in an empty network, too. */
const OF_ITS_OWN = new Set(['compute', 'bubble', 'schedule', 'launch and protocol', 'propagation', 'serialisation']);

/** `A share of it ...`: what stands behind the share. */
const SAID = {
  compute: () => 'is computing',
  straggler: (who) => `is a wait for ${who}`,
  bubble: () => "is the pipeline's bubble",
  schedule: () => 'is a wait for its own start times',
  'launch and protocol': () => 'is launches, copies and answers',
  propagation: () => 'is the latency of links and switches',
  serialisation: (who, port) => `is its own bytes on the wire${port ? `, most at ${port}` : ''}`,
  queueing: (who, port) => `is queued behind ${who}${port ? `, most at ${port}` : ''}`,
  'own packets': (who, port) => `is queued behind ${who}${port ? `, most at ${port}` : ''}`,
  pause: (who, port, { filler }) => `is paused by ${who.startsWith('NIC ') ? `the ${who}` : who}${filler ? `, which ${quoted(filler)} fills` : ''}`,
  credits: (who, port) => `is a wait for credits${port ? `, most at ${port}` : ''}`,
  'congestion control': (who, port, { reaction }) => (reaction ? `is held back by congestion control ${reaction}` : `is held back by congestion control, most ${who}`),
  window: (who) => `is a wait for a full window, most ${who}`,
  retransmission: (who, port, { trims }) => `is sending again what was ${trims ? 'trimmed or ' : ''}lost, most ${who}`,
  'time-out': (who) => `is a wait for time-outs, most ${who}`,
  'link failure': (who, port) => `is a wait for a link that is down${port ? `, ${port}` : ''}`,
  'link retry': (who, port) => `is frames that links send again, or their ACKs${port ? `, most at ${port}` : ''}`,
};

/** Every cause that the sentence has words for. */
export const causesWithWords = () => Object.keys(SAID);

/** Advice by what it changes, as `weft explain` has it: the less it costs to change, the further up it stands. */
const KINDS = ['degradation', 'setting', 'plan'];
const SETS = 'what the scenario sets';
/** Causes by which a plan is changed rather than what it runs on. */
const OF_PLAN = new Set(['own packets', 'bubble', 'schedule', 'launch and protocol']);

/** What is changed, in words. */
function layerOf({ kind, against, without }) {
  if (kind === 'degradation') return 'a defect';
  if (kind === 'setting') return /(^|,)collisions$|^job:/.test(without ?? '') || against === 'queueing' ? 'placement and paths' : SETS;
  return OF_PLAN.has(against) ? 'the plan of the job' : 'hardware';
}

const costs = (without) => `; \`weft run --without ${without}\` shows what it costs`;

const sum = (rows) => rows.reduce((all, row) => all + row[4], 0);

/** The name for which rows have most time, and that time. */
function most(rows, column) {
  const times = new Map();
  for (const row of rows) if (row[column]) times.set(row[column], (times.get(row[column]) ?? 0) + row[4]);
  return [...times].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/** Causes of a job, the worst first: {cause, seconds, share, who, port}. */
export function causesOf(blamed) {
  return blamed.causes.map((cause) => {
    const rows = blamed.rows.filter((row) => row[0] === cause);
    return { cause, seconds: sum(rows), share: sum(rows) / (blamed.seconds || 1), who: most(rows, 2), port: most(rows, 3) };
  }).sort((a, b) => b.seconds - a.seconds);
}

/** Of a job what made it longer than alone; where there is nothing of it, what takes most. */
function culpritOf(causes) {
  return causes.find((c) => !OF_ITS_OWN.has(c.cause) && c.share >= WORTH) ?? causes[0];
}

/** Causes by which a job's packets are at a port. */
const AT_PORT = new Set(['queueing', 'own packets', 'serialisation']);

/** Of a job that is paused by a port through which it sends nothing: the job that sends most there; empty: nobody is known to. */
export function fillerOf(run, name, causes) {
  const root = causes.find((c) => c.cause === 'pause')?.who;
  const timeAt = ({ rows }) => rows.filter((row) => row[3] === root && AT_PORT.has(row[0])).reduce((all, row) => all + row[4], 0);
  const senders = (run.blame ?? []).map((one) => [one.job, timeAt(one)]).filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]);
  return senders.some(([job]) => job === name) ? '' : (senders[0]?.[0] ?? '');
}

/** Causes that a job with late ranks may have while it takes no longer than its zero-load time, in which these are. */
const HIDDEN = new Set(['straggler', 'pause', 'queueing', 'credits', 'retransmission', 'time-out', 'link failure', 'link retry']);

/** Ranks of a job that the scenario has late or slow: `rank 3 (late by 1 ms)`; empty: none. */
const lateRanksOf = (run, name) => run.late_ranks?.find((late) => late.job === name)?.text ?? '';

/** Without blame the critical paths of collectives say what late ranks and pauses took, though not whose. */
function pathCausesOf({ summary }, name) {
  const calls = (summary.collectives ?? []).filter((call) => call.job === name && call.critical_path_seconds);
  const whole = calls.reduce((all, call) => all + call.seconds, 0);
  const shareOf = (key) => calls.reduce((all, call) => all + (call.critical_path_seconds[key] ?? 0), 0) / whole;
  return whole > 0 ? [['straggler', 'late'], ['pause', 'paused']].map(([cause, key]) => ({ cause, share: shareOf(key), who: '', port: '' })).filter(({ share }) => share > 0).sort((a, b) => b.share - a.share) : [];
}

/** For whose packets, and where, congestion control held a job back most (reactions.csv); empty: no queue is known for half of that time. */
export function reactionText({ summary }, name, causes) {
  const rows = (summary.reactions ?? []).filter((one) => one.job === name);
  const known = rows.reduce((all, one) => all + one.held_seconds, 0);
  const whole = causes.find((c) => c.cause === 'congestion control')?.seconds ?? 0;
  if (!rows.length || known < whole / 2) return '';
  // What queues at a port that is paused waits for the pause.
  const isPaused = (one) => one.paused_seconds > one.held_seconds / 10;
  const byOthers = rows.reduce((all, one) => all + (isPaused(one) ? 0 : one.held_seconds * one.others_share), 0);
  const worst = rows.reduce((a, b) => (b.held_seconds > a.held_seconds ? b : a));
  const others = rows.filter((one) => one.other_job);
  const other = others.length ? others.reduce((a, b) => (b.held_seconds * b.other_job_share > a.held_seconds * a.other_job_share ? b : a)).other_job : '';
  return `for ${byOthers > known / 2 ? `packets of ${quoted(other)}` : 'its own packets'} at ${quoted(worst.port)}${isPaused(worst) ? ', which is paused itself' : ''}`;
}

/** What is known of each job: how many times its zero-load time it took, and who is to blame. */
function judged(run) {
  return run.summary.jobs.map((job) => {
    const blamed = run.blame?.find((b) => b.job === job.name);
    const lateRanks = lateRanksOf(run, job.name);
    const causes = blamed ? causesOf(blamed) : lateRanks ? pathCausesOf(run, job.name) : [];
    // Slow links are in the zero-load time of a job: that at nominal rates is what they are measured by.
    const ideal = job.nominal_ideal_seconds ?? job.ideal_seconds;
    const ratio = job.jct_seconds && ideal ? job.jct_seconds / ideal : null;
    // The ideal time of a job has its stragglers in it: in their shade whatever else holds it up costs nothing.
    const hidden = lateRanks || causes.some((c) => c.cause === 'straggler') ? causes.filter((c) => HIDDEN.has(c.cause)) : [];
    const late = hidden.reduce((all, c) => all + c.share, 0);
    const isLate = late > 0 && 1 / (1 - late) > (ratio ?? 1);
    // So it has links that are slow: a job that takes no longer than these allow is not healthy.
    const atSlow = slowLinkOf(blamed)?.share ?? 0;
    // And windows that are too small for the round trip.
    const window = causes.find((c) => c.cause === 'window')?.share ?? 0;
    const full = window > 1 / 4 ? window : 0;
    const isSlow = !isLate && (atSlow > 0 || full > 0) && (ratio ?? 1) <= HEALTHY;
    const over = (share) => (share < 1 ? 1 / (1 - share) : Infinity);
    return { job, blamed, causes, ratio, hidden, lateRanks, isLate, isSlow, filler: fillerOf(run, job.name, causes), reaction: reactionText(run, job.name, causes), trims: run.summary.network?.packets_trimmed > 0, score: Math.max(ratio ?? 0, over(late), over(atSlow), over(full)) };
  });
}

/** Counts of a summary that add up to all packets that were dropped. */
const REASONS = [['buffer_drops', 'full buffers'], ['fault_drops', 'failed links'], ['error_drops', 'errors of links'], ['ttl_drops', 'ways that do not end'],
  ['wred_drops', 'WRED'], ['watchdog_drops', 'PFC watchdogs'], ['retry_drops', 'links that gave up sending again'], ['poison_drops', 'switches that had passed corrupted frames on']];

/** The incident that cost most packets: `, most in flapping of leaf0 to spine3`; empty: none is known. */
function incidentText({ incidents = [] }) {
  const lossy = incidents.filter((one) => one.lost_packets > 0).sort((a, b) => b.lost_packets - a.lost_packets);
  if (!lossy.length) return '';
  return `, ${lossy.length > 1 ? 'most ' : ''}in ${lossy[0].kind} of ${quoted(lossy[0].place)}`;
}

/** What comes first, whatever else there is: a run that did not end, and packets that were lost. */
function trouble(summary) {
  const { outcome, jobs, messages } = summary;
  const done = jobs.filter((j) => j.jct_seconds !== null && j.jct_seconds !== undefined).length;
  const at = format.time(summary.simulated_seconds);
  if (outcome !== 'finished') {
    const came = `${jobs.length === 1 ? 'its job did not finish' : `${done} of ${jobs.length} jobs finished`}, ${format.number(messages?.completed ?? 0)} of ${format.counted(messages?.count ?? 0, 'message', 'messages')} that it posted completed`;
    const circle = summary.deadlock?.map?.((d) => d.port) ?? [];
    const why = summary.explanation?.[0];
    const how = { horizon: `The run was cut off at its horizon of ${at}`,
      deadlocked: `The run deadlocked at ${at}${circle.length ? `: ${circle.length} ports wait for each other in a circle, from \`${circle[0]}\` on` : ''}`,
      stalled: `The run stalled at ${at}: ${why ?? 'nothing moved any more'}`, stuck: `The run was stuck at ${at}: ${why ?? 'jobs wait for what nobody sends'}`, interrupted: `The run was interrupted at ${at}` }[outcome] ?? `The run did not finish: ${outcome} at ${at}`;
    return { isOver: true, text: `${how}; ${came}`, figures: [['jobs finished', `${done} of ${jobs.length}`], ['posted messages completed', `${format.number(messages?.completed ?? 0)} of ${format.number(messages?.count ?? 0)}`], ['stopped at', at]] };
  }
  const network = summary.network ?? {};
  const known = REASONS.map(([key, name]) => [network[key] ?? 0, name]).sort((a, b) => b[0] - a[0]);
  const lost = Math.max(network.packets_dropped ?? 0, known.reduce((all, [count]) => all + count, 0));
  if (!lost) return null;
  const share = network.packets_injected ? ` (${format.percent(lost / network.packets_injected)})` : '';
  return { isOver: false, text: `${format.counted(lost, 'packet was', 'packets were')} dropped${share}${known[0][0] ? `, ${known[1][0] ? 'most ' : ''}by ${known[0][1]}` : ''}${incidentText(summary)}`, figures: [['packets dropped', format.number(lost)]] };
}

const quoted = (name) => `\`${name}\``;

/** `its own packets`, `rank 16 (h16)`, or a name. */
function culpritText({ cause, who }) {
  if (cause === 'own packets') return 'its own packets';
  if (cause === 'queueing') return `packets of ${quoted(who)}`;
  return /^(NIC|rank) /.test(who) ? who : who ? quoted(who) : 'several';
}

/** Slow links that are a quarter of a job's time, or more of it than any other cause: the first of them, and their share; null: there are none. */
export function slowLinkOf(blamed) {
  const seconds = (blamed?.slow_links ?? []).reduce((all, l) => all + Number(l.seconds), 0);
  if (!(seconds > 0)) return null;
  const share = seconds / blamed.seconds;
  const worst = causesOf(blamed).find((c) => !OF_ITS_OWN.has(c.cause))?.share ?? 0;
  return share > 1 / 4 || (share >= WORTH && share >= worst) ? { link: blamed.slow_links[0], share } : null;
}

const isSaid = (link) => / takes in /.test(link.says ?? '') || !(Number(link.rate_bps) < Number(link.usual_rate_bps));

/** After `slow links`: which is the first of them. What only takes longer, or takes in less, is a sentence. */
export const slowPlace = (link) => (isSaid(link) ? ` (${slowLinkText(link)})` : `, first ${slowLinkText(link)}`);

/** A slow link as `weft explain` names it: the NIC of a host, or a link, with its rate and the usual one; or by how much longer it takes. */
export function slowLinkText(link) {
  // Folders of earlier releases have its port alone.
  const subject = link.subject ?? quoted(link.port);
  if (!isSaid(link)) return `${subject} (${format.rate(link.rate_bps)} instead of ${format.rate(link.usual_rate_bps)})`;
  return link.says.replace(/^The /, 'the ');
}

/** For whom a job waits: one of its ranks, or several, of which the first is named with its share of the job. */
function waitText(straggler, blamed, lateRanks) {
  if (!blamed) return `a wait for ${lateRanks}`;
  const own = sum(blamed.rows.filter((row) => row[0] === 'straggler' && row[2] === straggler.who));
  if (own >= 0.9 * straggler.seconds) return `a wait for ${straggler.who}, which takes longer than planned`;
  return `a wait for ranks that take longer than planned, first ${straggler.who} (${format.roughly(own / blamed.seconds)})`;
}

/** The worst of what the zero-load time of a job hides, and its late ranks, which are why. */
function lateText({ hidden, blamed, lateRanks, trims, filler, reaction }) {
  const [worst, second] = hidden;
  const said = (one) => {
    const share = `${format.roughly(one.share)} of it`;
    if (one.cause === 'straggler') return `${share} is ${waitText(one, blamed, lateRanks)}`;
    if (!blamed) return `${share} is paused`;
    return `${share} ${SAID[one.cause](culpritText(one), one.port ? quoted(one.port) : '', { trims, filler, reaction })}`;
  };
  const other = worst.cause === 'straggler' ? second : hidden.find((one) => one.cause === 'straggler');
  if (other?.share >= WORTH) return `${said(worst)}, and ${said(other)}`;
  return `${said(worst)}${worst.cause === 'straggler' || !lateRanks ? '' : `; that hides ${lateRanks}`}`;
}

function blameText(one) {
  const { causes, blamed, isLate, trims, filler, reaction } = one;
  if (isLate || (!blamed && one.hidden.length)) return lateText(one);
  const slow = slowLinkOf(blamed);
  if (slow) {
    const { link, share } = slow;
    return `${format.roughly(share)} of it passes at slow links or waits for them${slowPlace(link)}`;
  }
  const worst = causes.length ? culpritOf(causes) : null;
  if (!worst) return '';
  const said = SAID[worst.cause] ?? (() => `is ${worst.cause}`);
  const text = (cause, words) => `${format.roughly(cause.share)} of it ${words(culpritText(cause), cause.port ? quoted(cause.port) : '', { trims, filler, reaction })}`;
  // A control answers to queues: the other job in them is said, too.
  const other = worst.cause === 'congestion control' && causes.find((c) => c.cause === 'queueing' && c.share >= WORTH);
  // A switch whose marks, pauses or drops are set otherwise than those of the others is named.
  const place = blamed.advice?.find((a) => a.place && a.against === worst.cause)?.place;
  return `${text(worst, said)}${place ? `, and ${quoted(place)} has settings of its own` : ''}${other ? `, and ${text(other, SAID.queueing)}` : ''}`;
}

function sickText(one) {
  const { job, ratio, isLate, isSlow } = one;
  const blame = blameText(one);
  if (isLate || isSlow) return `${quoted(job.name)} took ${format.time(job.jct_seconds)}; ${blame}`;
  // Links between switches that set that time carry less than NICs send. Where that time is next to
  // nothing of what the job took, wider ones change nothing.
  const tier = ratio < 1 / WORTH && /^tier /.test(job.ideal_set_by ?? '') ? `, which ${job.ideal_set_by} sets` : '';
  const nominal = job.nominal_ideal_seconds ? ' at nominal rates' : '';
  return `${quoted(job.name)} took ${format.times(ratio)} times its zero-load time${nominal}${nominal ? '' : tier}${blame ? `; ${blame}` : ''}${shadeText([one])}`;
}

const p99Of = ({ job }) => job.slowdown?.p99 ?? 0;
const bySlowMessages = (a, b) => p99Of(b) - p99Of(a);

/** How many times the median slowdown of its messages the slowest of a job have; 0: that is no tail. */
function tailOf({ job }) {
  const { p50, p99 } = job.slowdown ?? {};
  return p50 > 0 && p99 >= SLOW_MESSAGES && p99 / p50 >= TAIL ? p99 / p50 : 0;
}

function slowText(one, whose, where = '') {
  const tail = tailOf(one);
  return `1 in 100 messages ${whose} took ${format.times(p99Of(one))} times as long as alone or longer${where}${tail ? `, ${format.times(tail)} times the median` : ''}`;
}

/** What single messages pay while their job takes its time: a tail that the time of the job hides. */
function slowMessagesText(jobs, isLossy) {
  const worst = slowestMessages(jobs);
  if (!worst) return '';
  // Alone in the fabric, and where nothing is lost, a job is in nobody's way but its own.
  const where = jobs.length > 1 || isLossy ? '' : ', behind each other';
  return `; but ${slowText(worst, jobs.length > 1 ? `of ${quoted(worst.job.name)}` : 'of it', where)}`;
}

/** Of healthy jobs the one with the slowest messages; undefined: all are about as fast as alone. */
const slowestMessages = (jobs) => [...jobs].sort(bySlowMessages).find((one) => p99Of(one) >= SLOW_MESSAGES);

/** Beside a job that is slowed down as a whole another one whose messages have a longer tail; undefined: none. */
const tailBeside = (sick, jobs) => jobs.filter((one) => one !== sick && (isOpen(one) || (tailOf(one) && p99Of(one) > p99Of(sick)))).sort(bySlowMessages)[0];

/** A job without an end of its own, as an open loop, is slowed down message by message. */
const isOpen = (one) => !one.ratio && p99Of(one) >= SLOW_MESSAGES;

/** NICs below the rate of their part, of which the run warned: where all of them are, no link is slower than others. */
function slowNicsText(summary) {
  const found = (summary.warnings ?? []).map((text) => /\bis `(.+?)`, and (\S+) has (\S+): the NICs there run below their rate/.exec(text)).find(Boolean);
  if (!found) return '';
  const [, rate, part, rated] = found.map((text) => text.replace(/(\d)(?=[A-Za-z])/, '$1 '));
  return `; but NICs run at ${rate}, and ${part} has ${rated}`;
}

/** Links that corrupt frames and send them again hide it from hosts, not from who asks whether all is well. */
function replaysText({ network }) {
  const frames = network?.frames_replayed ?? 0;
  return frames > 0 ? `; but links sent ${format.counted(frames, 'frame', 'frames')} again` : '';
}

/** Late ranks that nothing is known to wait for: a zero-load time that has them in it says little. */
function shadeText(jobs) {
  const late = jobs.find((one) => one.lateRanks);
  return late ? `; ${jobs.length > 1 ? `that of ${quoted(late.job.name)}` : 'that'} has ${late.lateRanks} in it` : '';
}

function healthyText(jobs, isLossy) {
  return `${timesText(jobs)}${shadeText(jobs)}${slowMessagesText(jobs, isLossy)}`;
}

function timesText(jobs) {
  const known = jobs.filter((j) => j.ratio);
  if (!known.length) return jobs.length === 1 ? `${quoted(jobs[0].job.name)} took ${format.time(jobs[0].job.jct_seconds)}` : `${jobs.length} jobs finished; how long they would take alone is not known`;
  const worst = Math.max(...known.map((j) => j.ratio)) - 1;
  const within = worst < 0.01 ? `${Math.max(1, Math.ceil(1000 * worst - 1e-6)) / 10} %` : `${Math.ceil(100 * worst - 1e-6)} %`;
  if (jobs.length > 1) return `${known.length < jobs.length ? `${known.length} of ${jobs.length} jobs` : jobs.length === 2 ? 'Both jobs' : `All ${jobs.length} jobs`} took what an empty network would, within ${within}`;
  const [{ job }] = known;
  const by = job.ideal_set_by && job.ideal_set_by !== 'dependencies' ? `; ${job.ideal_set_by} sets it` : '';
  return `${quoted(job.name)} took what an empty network would, ${format.time(job.ideal_seconds)}, within ${within}${by}`;
}

/** What a training costs, where the price of a GPU is known. */
function costOf({ dollars_per_step: step, dollars_per_million_tokens: tokens }) {
  const known = [['a step', step], ['1 M tokens', tokens]].filter(([, value]) => Number.isFinite(value));
  const verb = known.length === 1 && known[0][0] === 'a step' ? 'costs' : 'cost';
  return known.length ? [[`${known.map(([name]) => name).join(' and ')} ${verb}`, known.map(([, value]) => format.dollars(value)).join(' and ')]] : [];
}

/** `2 layers`, where the scenario has so many of a known model instead of all: its tokens per second are not those of the model. Empty: it has all. */
function sliceOf(run, name) {
  const keys = keysOf(run.scenario ?? '');
  const at = keys.find(({ path, value }) => /^jobs\[\d+\]\.name$/.test(path) && value === name)?.path.replace('name', '');
  const keyAt = (path) => keys.find((key) => key.path === `${at}${path}`);
  const layers = keyAt('model.layers');
  const isSlice = keyAt('model.preset') && layers && layers.source === '';
  return isSlice ? format.counted(Number(layers.value), 'layer', 'layers') : '';
}

/** Of the job that the sentence is about. */
function figuresOf(run, one, isHealthy) {
  const { job, ratio, isLate, isSlow, hidden, lateRanks, causes, blamed } = one;
  const training = (run.summary.training ?? []).find((t) => (t.job ?? t.name) === job.name);
  const over = ratio && !isLate && !isSlow ? [['over zero-load time', `${ratio < HEALTHY ? format.overIdeal(ratio) : format.times(ratio)}x`]] : [];
  if (training) {
    const cost = costOf(training);
    // The rate of a GPU is what MFU says, too: it makes room for the cost.
    const gpu = cost.length && training.mfu ? [] : [['a GPU at', format.flops(training.model_flops_per_second)]];
    const slice = sliceOf(run, job.name);
    return [[`a step of ${job.name}${slice ? `, a slice of ${slice}` : ''}`, format.time(training.step_seconds?.mean)], [slice ? 'the slice trains at' : 'trains at', format.tokens(training.tokens_per_second)],
      ...gpu, ['MFU', format.percent(training.mfu)], ...cost, ...over].filter(([, text]) => text !== '–');
  }
  const slow = slowLinkOf(blamed);
  const worst = slow ? { cause: 'slow links', share: slow.share } : causes.length ? culpritOf(causes) : null;
  const cause = isHealthy ? null : isLate ? hidden[0] : worst;
  const late = lateRanks && cause?.cause !== 'straggler' ? [['late ranks', lateRanks]] : [];
  return [[`${job.name} took`, format.time(job.jct_seconds)], ...over, ...(cause ? [[cause.cause, format.roughly(cause.share)]] : []), ...late,
    ...(job.busbw_bytes_per_second ? [['bus bandwidth', format.bandwidth(job.busbw_bytes_per_second)]] : []),
    ...(job.slowdown?.p99 ? [['message slowdown p99', format.partly(format.slowdown(job.slowdown.p99), job.slowdown.cut_off)]] : [])];
}

/** Warnings that end in what to do: `...; set flow_control.buffer to 1,081,344 B`. */
const DOES = /; ((?:set|raise|lower|shorten|take|change|use|give|add|enlarge|leave|choose|reduce|increase|place) .*)$/;

/** What blame advises against in these jobs, in the order of `weft explain`; what is the same in several of them once. */
function blamedTries(jobs) {
  const merged = new Map();
  for (const { job, blamed } of jobs) {
    for (const one of blamed?.advice ?? []) {
      const text = `${one.advice}${one.without ? costs(one.without) : ''}`;
      if (!merged.has(text)) merged.set(text, { ...one, text, seconds: 0, reasons: [] });
      merged.get(text).seconds += Number(one.seconds);
      merged.get(text).reasons.push(one.against === 'zero-load time' ? `it sets the zero-load time of ${job.name}` : `${one.against}: ${format.roughly(one.share)} of ${job.name}`);
    }
  }
  return [...merged.values()];
}

/** Adds what is to be mended though it may have cost no time: where blame advises it, too, as one more reason. */
function addRepairs({ repairs = [] }, tries) {
  for (const { without, advice, because } of repairs) {
    const known = tries.find((one) => one.without === without);
    if (known) known.reasons.push(because);
    else tries.push({ kind: 'degradation', without, text: `${advice}${costs(without)}`, seconds: 0, reasons: [because] });
  }
}

/** Advice of blame and of warnings, for these jobs: what can be changed first, then what takes more time. */
export function triesOf(run, jobs) {
  const tries = [...(run.summary.explanation ?? []), ...(run.summary.warnings ?? [])].flatMap((text) => {
    const found = DOES.exec(text);
    return found ? [{ kind: 'setting', seconds: Infinity, text: found[1], reasons: ['the run warned'] }] : [];
  });
  tries.push(...blamedTries(jobs));
  addRepairs(run, tries);
  return tries.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.seconds === b.seconds ? 0 : b.seconds - a.seconds))
    .map((one) => ({ ...one, layer: layerOf(one), why: `${one.reasons.slice(0, 3).join(', ')}${one.reasons.length > 3 ? ` and ${one.reasons.length - 3} more` : ''}` }));
}

/** Whom to ask first where nobody is to blame yet. */
const ASK = (summary) => ({ layer: 'what is recorded', text: `\`weft run ${summary.scenario_file ?? 'SCENARIO'} --blame\` says where the time of each job went`, why: 'the run did not look for culprits' });

const sickOf = (jobs) => jobs.filter((j) => j.score > HEALTHY).sort((a, b) => b.score - a.score);

/** Names of jobs as the answer ranks them: those that are slowed down first, the worst of them first. */
export const worstFirst = (run) => {
  const jobs = judged(run);
  const sick = sickOf(jobs);
  return [...sick, ...jobs.filter((one) => !sick.includes(one))].map(({ job }) => job.name);
};

/** Who is to blame for the job that is furthest from its zero-load time: {cause, who, port, share}; null where nobody is. */
export function culpritOfRun(run) {
  const [worst] = sickOf(judged(run));
  if (!worst?.blamed || !worst.causes.length) return null;
  const slow = worst.isLate ? null : slowLinkOf(worst.blamed);
  if (slow) return { cause: 'slow link', who: slow.link.subject ?? slow.link.port, port: slow.link.port, share: slow.share };
  return worst.isLate ? worst.hidden[0] : culpritOf(worst.causes);
}

const isAre = (count, one, many) => (count === 1 ? one : many);

/** What was expected of the run (`--expect`) and does not hold, the first with its values: null where all holds. */
export function failedText({ expectations = [] }) {
  const failed = expectations.filter((one) => !one.holds);
  if (!failed.length) return null;
  const [{ expectation, values, because }] = failed;
  const found = because || Object.entries(values).map(([name, value]) => `${quoted(name)} is ${value === null ? 'not known' : format.byName(name, value)}`).join(', ');
  const which = expectations.length === 1 ? 'the expectation does' : `${failed.length} of ${expectations.length} expectations ${isAre(failed.length, 'does', 'do')}`;
  return `${which} not hold${failed.length > 1 ? ', first' : ':'} ${quoted(expectation)}: ${found}`;
}

/** A failed expectation stands before all else, as a sentence and as a figure. */
export function answerOfRun(run) {
  const answer = answerWithout(run);
  const { expectations = [] } = run;
  if (!expectations.length) return answer;
  const failed = failedText(run);
  const held = expectations.filter((one) => one.holds).length;
  if (!failed) return { ...answer, sentence: `${answer.sentence}; ${expectations.length === 1 ? 'the expectation holds' : `all ${expectations.length} expectations hold`}` };
  return { ...answer, sentence: `${failed}; ${answer.sentence}`, figures: [['expectations that hold', `${held} of ${expectations.length}`], ...answer.figures].slice(0, 4) };
}

/** The answer as if nothing had been expected. */
function answerWithout(run) {
  const { summary } = run;
  const jobs = judged(run);
  const bad = trouble(summary);
  const sick = sickOf(jobs);
  const tail = sick.length ? tailBeside(sick[0], jobs) : undefined;
  const shown = sick[0] ?? slowestMessages(jobs) ?? [...jobs].sort((a, b) => (b.ratio ?? 0) - (a.ratio ?? 0) || (b.job.jct_seconds ?? 0) - (a.job.jct_seconds ?? 0))[0];
  const tries = triesOf(run, sick.length ? sick : jobs);
  if (summary.outcome === 'horizon') tries.unshift({ layer: SETS, text: `a horizon, \`run.until\`, beyond ${format.time(summary.simulated_seconds)}`, why: 'it cut the run off' });
  if (!run.blame) tries.unshift(ASK(summary));
  if (!shown) return { sentence: bad?.text ?? 'The run has no jobs', figures: bad?.figures ?? [], tries };
  if (bad?.isOver) return { sentence: bad.text, figures: bad.figures, tries };
  const said = `${sick.length ? sickText(sick[0]) : healthyText(jobs, Boolean(bad))}${slowLinkOf(shown.blamed) ? '' : slowNicsText(summary)}${sick.length ? '' : replaysText(summary)}`;
  const others = sick.length > 1 ? `; ${format.counted(sick.length - 1, 'other job is', 'other jobs are')} slowed down, too` : '';
  const figures = [...(bad?.figures ?? []), ...figuresOf(run, shown, !sick.length)].slice(0, tail ? 3 : 4);
  if (tail) figures.push([`${tail.job.name} message slowdown p99`, format.slowdown(p99Of(tail))]);
  return { sentence: `${bad ? `${bad.text}; ` : ''}${said}${others}${tail ? `; ${slowText(tail, `of ${quoted(tail.job.name)}`)}` : ''}`, figures, tries };
}
