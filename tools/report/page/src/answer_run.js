// What a run comes to, in a sentence with at most four figures, and what to try next. No drawing.

import * as format from './format.js';

/** Within which a job takes what an empty network would. */
const HEALTHY = 1.1;
/** From which on the slowdown of messages is said of a run whose jobs are healthy. */
const SLOW_MESSAGES = 2;
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
  pause: (who) => `is paused by ${who.startsWith('NIC ') ? `the ${who}` : who}`,
  credits: (who, port) => `is a wait for credits${port ? `, most at ${port}` : ''}`,
  'congestion control': (who) => `is held back by congestion control, most ${who}`,
  window: (who) => `is a wait for a full window, most ${who}`,
  retransmission: (who) => `is sending again what was lost, most ${who}`,
  'time-out': (who) => `is a wait for time-outs, most ${who}`,
  'link failure': (who, port) => `is a wait for a link that is down${port ? `, ${port}` : ''}`,
  'link retry': (who, port) => `is frames that links send again, or their ACKs${port ? `, most at ${port}` : ''}`,
};

/** Every cause that the sentence has words for. */
export const causesWithWords = () => Object.keys(SAID);

/** Which layer an advice changes: the less it costs to change, the further up it stands. */
const LAYERS = ['what the scenario sets', 'placement and paths', 'the plan of the job', 'hardware', 'a defect'];
/** What does not reach its rate comes before all of them. */
const MEND = 4;
/** The first two are both changed within a scenario: between them time decides. */
const effortOf = (layer) => (layer === MEND ? -1 : Math.max(0, layer - 1));
const LAYER_OF = { straggler: 4, 'link failure': 4, 'link retry': 4, pause: 0, credits: 0, 'congestion control': 0, window: 0, retransmission: 0, 'time-out': 0, queueing: 1, 'own packets': 2, bubble: 2, schedule: 2, 'launch and protocol': 2 };
const layerOf = (cause) => LAYER_OF[cause] ?? 3;

/** Of what a scenario has in it, how `weft run` takes it out: \`--without job:red\`. */
const withoutOf = (cause, who) => (cause === 'queueing' && who ? `; \`weft run --without job:${who}\` shows what it costs` : '');
/** Of the time of a job: a rank that takes longer than planned is a defect, and worth less time. */
const WORTH_MENDING = 0.01;

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

/** What is known of each job: how many times its zero-load time it took, and who is to blame. */
function judged(run) {
  return run.summary.jobs.map((job) => {
    const blamed = run.blame?.find((b) => b.job === job.name);
    const causes = blamed ? causesOf(blamed) : [];
    const ratio = job.jct_seconds && job.ideal_seconds ? job.jct_seconds / job.ideal_seconds : null;
    // The ideal time of a job has its stragglers in it.
    const late = causes.find((c) => c.cause === 'straggler')?.share ?? 0;
    const isLate = late > 0 && 1 / (1 - late) > (ratio ?? 1);
    // So it has links that are slow: a job that takes no longer than these allow is not healthy.
    const atSlow = slowLinkOf(blamed)?.share ?? 0;
    const isSlow = !isLate && atSlow > 0 && (ratio ?? 1) <= HEALTHY;
    const over = (share) => (share < 1 ? 1 / (1 - share) : Infinity);
    return { job, blamed, causes, ratio, late, isLate, isSlow, score: Math.max(ratio ?? 0, over(late), over(atSlow)) };
  });
}

const REASONS = [['buffer_drops', 'full buffers'], ['fault_drops', 'failed links'], ['error_drops', 'errors of links'], ['ttl_drops', 'ways that do not end']];

/** What comes first, whatever else there is: a run that did not end, and packets that were lost. */
function trouble(summary) {
  const { outcome, jobs, messages } = summary;
  const done = jobs.filter((j) => j.jct_seconds !== null && j.jct_seconds !== undefined).length;
  const at = format.time(summary.simulated_seconds);
  if (outcome !== 'finished') {
    const came = `${jobs.length === 1 ? 'its job did not finish' : `${done} of ${jobs.length} jobs finished`}, ${format.number(messages?.completed ?? 0)} of ${format.counted(messages?.count ?? 0, 'message', 'messages')} completed`;
    const circle = summary.deadlock?.map?.((d) => d.port) ?? [];
    const how = { horizon: `The run was cut off at its horizon of ${at}`,
      deadlocked: `The run deadlocked at ${at}${circle.length ? `: ${circle.length} ports wait for each other in a circle, from \`${circle[0]}\` on` : ''}`,
      stalled: `The run stalled at ${at}: nothing moved any more`, stuck: `The run was stuck at ${at}: jobs wait for what nobody sends`, interrupted: `The run was interrupted at ${at}` }[outcome] ?? `The run did not finish: ${outcome} at ${at}`;
    return { isOver: true, text: `${how}; ${came}`, figures: [['jobs finished', `${done} of ${jobs.length}`], ['messages completed', `${format.number(messages?.completed ?? 0)} of ${format.number(messages?.count ?? 0)}`], ['stopped at', at]] };
  }
  const network = summary.network ?? {};
  const known = REASONS.map(([key, name]) => [network[key] ?? 0, name]).sort((a, b) => b[0] - a[0]);
  const lost = Math.max(network.packets_dropped ?? 0, known.reduce((all, [count]) => all + count, 0));
  if (!lost) return null;
  const share = network.packets_injected ? ` (${format.percent(lost / network.packets_injected)})` : '';
  return { isOver: false, text: `${format.counted(lost, 'packet was', 'packets were')} dropped${share}${known[0][0] ? `, ${known[1][0] ? 'most ' : ''}by ${known[0][1]}` : ''}`, figures: [['packets dropped', format.number(lost)]] };
}

const quoted = (name) => `\`${name}\``;

/** `its own packets`, `rank 16 (h16)`, or a name. */
function culpritText({ cause, who }) {
  if (cause === 'own packets') return 'its own packets';
  if (cause === 'queueing') return `packets of ${quoted(who)}`;
  return /^(NIC|rank) /.test(who) ? who : who ? quoted(who) : 'several';
}

/** Slow links that are a quarter of a job's time or more: the first of them, and their share; null: there are none. */
export function slowLinkOf(blamed) {
  const seconds = (blamed?.slow_links ?? []).reduce((all, l) => all + Number(l.seconds), 0);
  return seconds > 0 && seconds > blamed.seconds / 4
    ? { link: blamed.slow_links[0], share: seconds / blamed.seconds }
    : null;
}

function blameText({ causes, blamed, isLate, late }) {
  if (isLate) return `${format.roughly(late)} of it is a wait for ${causes.find((c) => c.cause === 'straggler').who}, which takes longer than planned`;
  const slow = slowLinkOf(blamed);
  if (slow) {
    const { link, share } = slow;
    const rates = `${format.rate(link.rate_bps)} instead of ${format.rate(link.usual_rate_bps)}`;
    return `${format.roughly(share)} of it passes at slow links or waits for them, first \`${link.port}\` (${rates})`;
  }
  const worst = causes.length ? culpritOf(causes) : null;
  if (!worst) return '';
  const said = SAID[worst.cause] ?? (() => `is ${worst.cause}`);
  const text = (one, words) => `${format.roughly(one.share)} of it ${words(culpritText(one), one.port ? quoted(one.port) : '')}`;
  // A control answers to queues: the other job in them is said, too.
  const other = worst.cause === 'congestion control' && causes.find((c) => c.cause === 'queueing' && c.share >= WORTH);
  return `${text(worst, said)}${other ? `, and ${text(other, SAID.queueing)}` : ''}`;
}

function sickText(one) {
  const { job, ratio, isLate, isSlow } = one;
  const blame = blameText(one);
  if (isLate || isSlow) return `${quoted(job.name)} took ${format.time(job.jct_seconds)}; ${blame}`;
  return `${quoted(job.name)} took ${format.times(ratio)} times its zero-load time${blame ? `; ${blame}` : ''}`;
}

/** What single messages pay while their job takes its time: a tail that the time of the job hides. */
function slowMessagesText(jobs, isLossy) {
  const p99 = ({ job }) => job.slowdown?.p99 ?? 0;
  const [worst] = [...jobs].sort((a, b) => p99(b) - p99(a));
  if (!worst || p99(worst) < SLOW_MESSAGES) return '';
  const whose = jobs.length > 1 ? `of ${quoted(worst.job.name)}` : 'of it';
  // Alone in the fabric, and where nothing is lost, a job is in nobody's way but its own.
  const where = jobs.length > 1 || isLossy ? '' : ', behind each other';
  return `; but 1 in 100 messages ${whose} took ${format.times(p99(worst))} times as long as alone or longer${where}`;
}

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

function healthyText(jobs, isLossy) {
  return `${timesText(jobs)}${slowMessagesText(jobs, isLossy)}`;
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

/** Of the job that the sentence is about. */
function figuresOf(run, one, isHealthy) {
  const { job, ratio, isLate, isSlow, late, causes, blamed } = one;
  const training = (run.summary.training ?? []).find((t) => (t.job ?? t.name) === job.name);
  const over = ratio && !isLate && !isSlow ? [['over zero-load time', `${ratio < HEALTHY ? format.overIdeal(ratio) : format.times(ratio)}x`]] : [];
  if (training) {
    return [[`a step of ${job.name}`, format.time(training.step_seconds?.mean)], ['trains at', format.tokens(training.tokens_per_second)],
      ['a GPU at', format.flops(training.model_flops_per_second)], ['MFU', format.percent(training.mfu)], ...over].filter(([, text]) => text !== '–');
  }
  const slow = slowLinkOf(blamed);
  const worst = slow ? { cause: 'slow links', share: slow.share } : causes.length ? culpritOf(causes) : null;
  const cause = isHealthy ? null : isLate ? { cause: 'straggler', share: late } : worst;
  return [[`${job.name} took`, format.time(job.jct_seconds)], ...over, ...(cause ? [[cause.cause, format.roughly(cause.share)]] : []),
    ...(job.busbw_bytes_per_second ? [['bus bandwidth', format.bandwidth(job.busbw_bytes_per_second)]] : []),
    ...(job.slowdown?.p99 ? [['message slowdown p99', format.partly(format.slowdown(job.slowdown.p99), job.slowdown.cut_off)]] : [])];
}

/** Warnings that end in what to do: `...; set flow_control.buffer to 1,081,344 B`. */
const DOES = /; ((?:set|raise|lower|shorten|take|change|use|give|add|enlarge|leave|choose|reduce|increase|place) .*)$/;

const joinsSwitches = (port) => /\]->.*\]$/.test(port);
const leadsToHost = (port) => /\]->.*[^\]]$/.test(port);

/** What is left of queues and pauses is between switches rather than before hosts: flows meet where there are other ways. */
function meetsBetweenSwitches(blamed) {
  const metAt = (fits) => blamed.rows.reduce((all, [cause, , culprit, port, seconds]) => {
    const isMet = ['pause', 'queueing', 'own packets'].includes(cause) && fits(cause === 'pause' ? culprit : port);
    return all + (isMet ? seconds : 0);
  }, 0);
  return metAt(joinsSwitches) > metAt(leadsToHost);
}

/** Flows that a hash puts on the same link between switches are held back, too, and leave no queue to be seen there. */
const mayCollide = (run, blamed) => /^ *load_balancing: ecmp\b/m.test(run.scenario ?? '') && blamed.rows.some(([, , , port]) => joinsSwitches(port));

/** Where a scenario has a NIC that holds its switch paused, no marks help against its storm. */
const isStuck = (run, cause, who) => cause === 'pause' && who.startsWith('NIC ') && /^[ -]*type: nic-pause\b/m.test(run.scenario ?? '');
const REPLACE = 'replace the NIC that holds its switch paused; `weft run --without nic-pauses` shows what it costs';

/** Advice of the data, by what it changes; then what an empty network would not have; then by the time at stake. */
export function triesOf(run, sick) {
  const tries = [...(run.summary.explanation ?? []), ...(run.summary.warnings ?? [])].flatMap((text) => {
    const found = DOES.exec(text);
    return found ? [{ layer: 0, seconds: Infinity, text: found[1], why: 'the run warned' }] : [];
  });
  const failed = run.summary.network?.fault_drops ?? 0;
  if (failed) tries.push({ layer: MEND, seconds: 0, text: 'mend the links that fail; `weft run --without link-failures` shows what they cost', why: `${format.counted(failed, 'packet was', 'packets were')} dropped there` });
  const again = run.summary.network?.frames_replayed ?? 0;
  const corrupted = run.summary.network?.error_drops ?? 0;
  const isCorrupted = corrupted > 0 && !run.summary.network?.buffer_drops;
  const what = corrupted ? `${format.counted(corrupted, 'packet was', 'packets were')} lost there` : `${format.counted(again, 'frame was', 'frames were')} sent again by links`;
  if (again || corrupted) tries.push({ layer: MEND, seconds: 0, text: 'mend the links that corrupt frames; `weft run --without bit-errors` shows what they cost', why: what });
  const merged = new Map();
  for (const { job, blamed, causes, score } of sick) {
    const isHealthy = score <= HEALTHY;
    const by = job.ideal_set_by;
    if (isHealthy && job.jct_seconds && by && by !== 'dependencies') tries.push({ layer: 3, seconds: job.jct_seconds, text: `fewer bytes through ${by}, or more rate there`, why: `it sets the zero-load time of ${job.name}` });
    const slow = blamed?.slow_links?.reduce((all, l) => all + Number(l.seconds), 0) ?? 0;
    // A defect is mended before anything is tuned around it, as `weft explain` has it.
    if (slow > WORTH * (blamed?.seconds ?? 0)) tries.push({ layer: MEND, seconds: slow, text: 'mend or replace what is slow; `weft run --without slow-links` shows what it costs', why: `${format.roughly(slow / blamed.seconds)} of ${job.name}` });
    // A slow link shows as other causes: of those that it makes, advice against them would not help.
    const isSlow = slow > (blamed?.seconds ?? 0) / 2;
    for (const { cause, who, seconds, share } of causes) {
      if (isSlow && !OF_ITS_OWN.has(cause)) continue;
      // Against errors of links no buffer helps.
      if (isCorrupted && cause === 'retransmission') continue;
      const isOfNic = isStuck(run, cause, who);
      const text = isOfNic ? REPLACE : blamed.advice?.[cause] && `${cause === 'straggler' && who ? `${who}: ` : ''}${blamed.advice[cause]}`;
      if (!text || share < (cause === 'straggler' ? WORTH_MENDING : WORTH) || (isHealthy && !OF_ITS_OWN.has(cause))) continue;
      if (!merged.has(text)) merged.set(text, { layer: isOfNic ? MEND : cause === 'own packets' && blamed.kinds?.[cause] === 'setting' ? 1 : layerOf(cause), isOwn: OF_ITS_OWN.has(cause), seconds: 0, text, without: withoutOf(cause, who), reasons: [] });
      merged.get(text).seconds += seconds;
      merged.get(text).reasons.push(`${cause}: ${format.roughly(share)} of ${job.name}`);
      if (cause === 'congestion control' && mayCollide(run, blamed)) tries.push({ layer: 1, isFirst: meetsBetweenSwitches(blamed), seconds, text: 'spraying, adaptive routing or more queue pairs; `weft run --without collisions` shows what a hash of paths costs', why: `${job.name} is held back, and its packets take links between switches` });
    }
  }
  for (const one of merged.values()) tries.push({ ...one, text: `${one.text}${one.without}`, why: `${one.reasons.slice(0, 3).join(', ')}${one.reasons.length > 3 ? ` and ${one.reasons.length - 3} more` : ''}` });
  return tries.sort((a, b) => effortOf(a.layer) - effortOf(b.layer) || Number(Boolean(a.isOwn)) - Number(Boolean(b.isOwn)) || b.seconds - a.seconds || Number(Boolean(b.isFirst)) - Number(Boolean(a.isFirst)) || a.layer - b.layer).map((t) => ({ ...t, layer: LAYERS[t.layer] }));
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
  if (!worst?.causes.length) return null;
  const slow = worst.isLate ? null : slowLinkOf(worst.blamed);
  if (slow) return { cause: 'slow link', who: slow.link.port, port: slow.link.port, share: slow.share };
  return worst.isLate ? worst.causes.find((c) => c.cause === 'straggler') : culpritOf(worst.causes);
}

export function answerOfRun(run) {
  const { summary } = run;
  const jobs = judged(run);
  const bad = trouble(summary);
  const sick = sickOf(jobs);
  const shown = sick[0] ?? [...jobs].sort((a, b) => (b.job.jct_seconds ?? 0) - (a.job.jct_seconds ?? 0))[0];
  const tries = triesOf(run, sick.length ? sick : jobs);
  if (summary.outcome === 'horizon') tries.unshift({ layer: LAYERS[0], text: `a horizon, \`run.until\`, beyond ${format.time(summary.simulated_seconds)}`, why: 'it cut the run off' });
  if (!run.blame) tries.unshift(ASK(summary));
  if (!shown) return { sentence: bad?.text ?? 'The run has no jobs', figures: bad?.figures ?? [], tries };
  if (bad?.isOver) return { sentence: bad.text, figures: bad.figures, tries };
  const said = `${sick.length ? sickText(sick[0]) : healthyText(jobs, Boolean(bad))}${slowLinkOf(shown.blamed) ? '' : slowNicsText(summary)}${sick.length ? '' : replaysText(summary)}`;
  const others = sick.length > 1 ? `; ${format.counted(sick.length - 1, 'other job is', 'other jobs are')} slowed down, too` : '';
  return { sentence: `${bad ? `${bad.text}; ` : ''}${said}${others}`, figures: [...(bad?.figures ?? []), ...figuresOf(run, shown, !sick.length)].slice(0, 4), tries };
}
