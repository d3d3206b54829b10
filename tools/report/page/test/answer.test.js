import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { answerOfRun, causesWithWords, slowLinkText } from '../src/answer_run.js';
import { answerOfRuns, against } from '../src/answer_compare.js';
import { causesWithColours, ofCause } from '../src/colour.js';
import { answerOfSweep } from '../src/answer_sweep.js';
import { Points, shortNames } from '../src/sweep_points.js';

const job = (name, jct, ideal, more = {}) => ({ name, jct_seconds: jct, ideal_seconds: ideal, ...more });
const ADVICE = { pause: 'marks that act before pauses', queueing: 'other paths', 'own packets': 'fewer that meet', serialisation: 'fewer bytes', straggler: 'replace it', compute: 'a faster GPU' };
const KIND = { straggler: 'degradation', 'own packets': 'plan', serialisation: 'plan', compute: 'plan' };
const WITHOUT = { queueing: 'job:b' };
/** Rows: [cause, culprit, seconds, port]. Advice as the data has it: by cause, in the order of `weft explain`. */
function blame(name, rows) {
  const seconds = rows.reduce((sum, [, , s]) => sum + s, 0);
  const causes = [...new Set(rows.map(([c]) => c))];
  const advice = causes.filter((c) => ADVICE[c]).map((cause) => {
    const own = rows.filter(([c]) => c === cause).reduce((sum, [, , s]) => sum + s, 0);
    return { against: cause, kind: KIND[cause] ?? 'setting', seconds: String(own), share: own / seconds, advice: ADVICE[cause], ...(WITHOUT[cause] ? { without: WITHOUT[cause] } : {}) };
  });
  return { job: name, seconds, causes, advice, slow_links: [],
    rows: rows.map(([cause, who, s, port]) => [cause, 'port', who, port ?? '', s]) };
}
const run = (jobs, blamed, more = {}) => ({ summary: { outcome: 'finished', simulated_seconds: 1e-3, jobs, messages: { count: 32, completed: 32 }, network: {}, ...more }, blame: blamed, scenario: 'name: a', ports: { names: [] } });

test('a sick run names the job, by how much, and who is to blame', () => {
  const { sentence, figures, tries } = answerOfRun(run([job('calm', 1, 1), job('others', 3.28, 0.1)],
    [blame('others', [['queueing', 'calm', 0.16], ['pause', 'NIC of h0', 3.05, 'a->b'], ['serialisation', 'a->b', 0.07]])]));
  assert.equal(sentence, '`others` took 33 times its zero-load time; 93 % of it is paused by the NIC of h0');
  assert.ok(figures.length <= 4);
  assert.deepEqual(figures.slice(0, 3), [['others took', '3.28 s'], ['over zero-load time', '33x'], ['pause', '93 %']]);
  assert.deepEqual(tries.map((t) => t.text), ['marks that act before pauses', 'other paths; `weft run --without job:b` shows what it costs', 'fewer bytes']);
});

test('a healthy run says so, with all its jobs', () => {
  const jobs = [job('a', 1.04, 1), job('b', 2, 2), job('c', 3.01, 3)];
  assert.equal(answerOfRun(run(jobs)).sentence, 'All 3 jobs took what an empty network would, within 4 %');
  const blamed = { ...blame('incast', [['own packets', 'incast', 6e-4]]), advice: [{ against: 'zero-load time', kind: 'plan', seconds: '6e-4', share: 1, advice: 'fewer bytes through NIC ingress of h0, or more rate there' }] };
  const alone = answerOfRun(run([job('incast', 688.3e-6, 686.4e-6, { ideal_set_by: 'NIC ingress of h0' })], [blamed]));
  assert.equal(alone.sentence, '`incast` took what an empty network would, 686.4 us, within 0.3 %; NIC ingress of h0 sets it');
  assert.deepEqual(alone.tries.map((t) => [t.text, t.why]), [['fewer bytes through NIC ingress of h0, or more rate there', 'it sets the zero-load time of incast']]);
});

// The first sentence of a run that cannot finish says what is broken.
test('a run that is stuck names why', () => {
  const why = 'the link of h3 is down from 300 us on, and nothing mends it; job ring waits for it (faults[0])';
  for (const [outcome, begin] of [['stuck', 'The run was stuck at 1 ms: '], ['stalled', 'The run stalled at 1 ms: ']]) {
    const { sentence } = answerOfRun(run([job('ring', null, 1)], undefined, { outcome, explanation: [why, 'rank 0 waits'] }));
    assert.ok(sentence.startsWith(`${begin}${why}; its job did not finish`), sentence);
  }
});

test('a control that holds a job back is said with the packets that it reacted to', () => {
  const blamed = [blame('a', [['congestion control', 'rank 0 -> rank 1', 0.9, 'h1->leaf0[1]'], ['serialisation', 'x', 0.1]])];
  const row = (more) => ({ job: 'a', port: 'leaf0[0]->h0', held_seconds: 0.9, others_share: 0.8, other_job: 'b', other_job_share: 0.8, ...more });
  const said = (reactions) => answerOfRun(run([job('a', 1, 0.1)], blamed, { reactions })).sentence;
  assert.match(said([row()]), /90 % of it is held back by congestion control for packets of `b` at `leaf0\[0\]->h0`$/);
  assert.match(said([row({ others_share: 0.4 })]), /for its own packets at `leaf0\[0\]->h0`$/);
  assert.match(said([row({ paused_seconds: 0.5 })]), /for its own packets at `leaf0\[0\]->h0`, which is paused itself$/);
  assert.match(said([row({ held_seconds: 0.4 })]), /congestion control, most `?rank 0 -> rank 1/);
  assert.match(said([row({ job: 'c' })]), /congestion control, most/);
});

test('slow links in the zero-load time are measured at nominal rates', () => {
  const slow = { ...blame('ring', [['serialisation', 'x', 0.9, 'x->y']]), slow_links: [{ port: 'x->y', subject: 'the NIC of h5', says: 'the NIC of h5 runs at 50 Gbps of 400 Gbps', rate_bps: 5e10, usual_rate_bps: 4e11, seconds: '0.8' }] };
  const { sentence, figures } = answerOfRun(run([job('ring', 1, 0.9, { nominal_ideal_seconds: 0.2 })], [slow]));
  assert.match(sentence, /^`ring` took 5 times its zero-load time at nominal rates; .*passes at slow links or waits for them, first the NIC of h5/);
  assert.ok(figures.some(([name, text]) => name === 'over zero-load time' && text === '5x'));
});

// The time of a job hides the tail of its messages: a healthy job says what they pay.
test('slow messages of healthy jobs are named', () => {
  const slow = (name, p99) => job(name, 688.3e-6, 686.4e-6, { slowdown: { p99 } });
  const alone = answerOfRun(run([slow('incast', 25.46)]));
  assert.equal(alone.sentence, '`incast` took what an empty network would, 686.4 us, within 0.3 %; but 1 in 100 messages of it took 25 times as long as alone or longer, behind each other');
  assert.ok(alone.figures.some(([name, text]) => name === 'message slowdown p99' && text === '25.46x'), 'the figure is what the sentence says');
  assert.equal(answerOfRun(run([slow('a', 1.5), slow('b', 3)])).sentence, 'Both jobs took what an empty network would, within 0.3 %; but 1 in 100 messages of `b` took 3 times as long as alone or longer');
  assert.doesNotMatch(answerOfRun(run([slow('a', 1.99)])).sentence, /but/);
  assert.match(answerOfRun(run([slow('a', 9)], undefined, { network: { packets_dropped: 1, buffer_drops: 1 } })).sentence, /9 times as long as alone or longer$/);
  assert.doesNotMatch(answerOfRun(run([job('sick', 3, 1, { slowdown: { p99: 9 } })])).sentence, /1 in 100/);
});

// The first screen is not about the first or the longest job, but about the one that lost most, or whose messages did.
test('of several jobs the one with the longest tail is named, by figures too', () => {
  const with_ = (name, jct, p50, p99) => job(name, jct, 1, { slowdown: { p50, p99 } });
  const healthy = answerOfRun(run([with_('long', 1.01, 1, 1.1), with_('tail', 1.02, 1.5, 12), with_('short', 1.05, 4, 5)]));
  assert.equal(healthy.sentence, 'All 3 jobs took what an empty network would, within 5 %; but 1 in 100 messages of `tail` took 12 times as long as alone or longer, 8 times the median');
  assert.deepEqual(healthy.figures, [['tail took', '1.02 s'], ['over zero-load time', '1.020x'], ['message slowdown p99', '12.00x']]);
  const calm = answerOfRun(run([with_('long', 9.01, 1, 1), { ...with_('most', 1.09, 1, 1) }].map((one, i) => ({ ...one, ideal_seconds: i ? 1 : 9 }))));
  assert.deepEqual(calm.figures[0], ['most took', '1.09 s'], 'it is further from its zero-load time');
  const sick = answerOfRun(run([with_('sick', 2, 2, 3), with_('tail', 1.02, 1.5, 12)]));
  assert.equal(sick.sentence, '`sick` took 2 times its zero-load time; 1 in 100 messages of `tail` took 12 times as long as alone or longer, 8 times the median');
  assert.deepEqual(sick.figures.at(-1), ['tail message slowdown p99', '12.00x']);
  // Messages of an in-cast are all slow: that is no tail.
  assert.doesNotMatch(answerOfRun(run([with_('sick', 2, 2, 3), with_('incast', 1.02, 10, 12)])).sentence, /1 in 100/);
  assert.doesNotMatch(answerOfRun(run([with_('sick', 2, 1, 13), with_('tail', 1.02, 1.5, 12)])).sentence, /1 in 100/);
});

// `weft run --expect`: who looks at the page of a failed run of CI sees first why it failed.
test('an expectation that does not hold stands before all else', () => {
  const expectation = (name, value, holds, more = {}) => ({ expectation: `${name} < 80us`, holds, values: { [name]: value }, ...more });
  const of = (expectations, more = {}) => answerOfRun({ ...run([job('a', 1, 1)]), expectations, ...more });
  const failed = of([expectation('jobs.a.jct_seconds', 84.2e-6, false), expectation('network.timeouts', 0, true)]);
  assert.equal(failed.sentence, '1 of 2 expectations does not hold: `jobs.a.jct_seconds < 80us`: `jobs.a.jct_seconds` is 84.2 us; `a` took what an empty network would, 1 s, within 0.1 %');
  assert.deepEqual(failed.figures[0], ['expectations that hold', '1 of 2']);
  assert.ok(failed.figures.length <= 4);
  const alone = of([expectation('jobs.a.jct_seconds', null, false, { because: 'its run was cut off' })]);
  assert.match(alone.sentence, /^the expectation does not hold: `jobs\.a\.jct_seconds < 80us`: its run was cut off; /);
  assert.match(of([expectation('x', null, false)]).sentence, /: `x` is not known; /);
  const two = of([expectation('x', 3, false), expectation('y', 4, false)]);
  assert.match(two.sentence, /^2 of 2 expectations do not hold, first `x < 80us`: `x` is 3; /);
  assert.match(of([expectation('x', 0, true)]).sentence, /within 0\.1 %; the expectation holds$/);
  assert.match(of([expectation('x', 0, true), expectation('y', 0, true)]).sentence, /; all 2 expectations hold$/);
  assert.doesNotMatch(of([]).sentence, /expectation/);
  // Before what a run lost, too, and of several runs with its name.
  const cut = answerOfRun({ ...run([job('a', null, 1)], undefined, { outcome: 'horizon' }), expectations: [expectation('x', 3, false)] });
  assert.match(cut.sentence, /^the expectation does not hold.*; The run was cut off/);
  const runs = [['before', []], ['after', [expectation('x', 3, false)]]].map(([label, expectations]) => ({ ...run([job('a', 1, 1)]), label, expectations }));
  assert.match(answerOfRuns(runs).sentence, /^`after`: the expectation does not hold: `x < 80us`: `x` is 3; no job differs/);
});

test('what went wrong comes first', () => {
  const cut = answerOfRun(run([job('a', null, 1)], undefined, { outcome: 'horizon', messages: { count: 32, completed: 19 } }));
  assert.equal(cut.sentence, 'The run was cut off at its horizon of 1 ms; its job did not finish, 19 of 32 messages that it posted completed');
  assert.match(cut.tries[0].text, /--blame/);
  const locked = answerOfRun(run([job('a', null, 1), job('b', 1, 1)], [], { outcome: 'deadlocked', deadlock: [{ port: 'x->y' }, { port: 'y->x' }] }));
  assert.match(locked.sentence, /^The run deadlocked at 1 ms: 2 ports wait for each other in a circle, from `x->y` on; 1 of 2 jobs finished/);
  const lossy = answerOfRun(run([job('a', 1, 1)], [], { network: { packets_dropped: 10, error_drops: 10, packets_injected: 1000 } }));
  assert.match(lossy.sentence, /^10 packets were dropped \(1\.0 %\), by errors of links; `a` took what an empty network would/);
});

// The ideal time of a job has its late ranks in it: such a run is not healthy.
test('of several ranks that a job waits for the first is named with its own share', () => {
  const { sentence } = answerOfRun(run([job('late', 1, 0.99)], [blame('late', [['straggler', 'rank 7 (h7)', 0.33], ['straggler', 'rank 6 (h6)', 0.31], ['serialisation', 'x', 0.36]])]));
  assert.equal(sentence, '`late` took 1 s; 64 % of it is a wait for ranks that take longer than planned, first rank 7 (h7) (33 %)');
});

test('a job that waits for a straggler is not healthy', () => {
  const { sentence } = answerOfRun(run([job('late', 1, 0.99)], [blame('late', [['straggler', 'rank 16 (h16)', 0.85], ['serialisation', 'x', 0.15]])]));
  assert.equal(sentence, '`late` took 1 s; 85 % of it is a wait for rank 16 (h16), which takes longer than planned');
});

// In the shade of a late rank, which the zero-load time has in it, a pause costs nothing, and neither does the rank: both are named.
test('a job with late ranks is not healthy, whatever its path waits for', () => {
  const late_ranks = [{ job: 'ring', text: 'rank 3 (late by 1 ms)' }];
  const repairs = [{ without: 'stragglers', advice: 'replace rank 3 (late by 1 ms)', because: 'in the zero-load time of ring' }];
  const of = (rows, jct = 1.182, more = {}) => answerOfRun({ ...run([job('ring', jct, 1.172)], rows && [blame('ring', rows)], more), late_ranks, repairs });
  const pause = ['pause', 'NIC of h2', 0.82, 'h1->leaf0[1]'];
  const hidden = of([pause, ['serialisation', 'x', 0.18]]);
  assert.equal(hidden.sentence, '`ring` took 1.182 s; 82 % of it is paused by the NIC of h2; that hides rank 3 (late by 1 ms)');
  assert.deepEqual(hidden.figures, [['ring took', '1.182 s'], ['pause', '82 %'], ['late ranks', 'rank 3 (late by 1 ms)']]);
  assert.match(hidden.tries.find((t) => t.without === 'stragglers').text, /^replace rank 3 \(late by 1 ms\).*--without stragglers/);
  const straggler = ['straggler', 'rank 3 (h3)', 0.5];
  const both = of([straggler, ['pause', 'NIC of h2', 0.3], ['serialisation', 'x', 0.2]]);
  assert.equal(both.sentence, '`ring` took 1.182 s; 50 % of it is a wait for rank 3 (h3), which takes longer than planned, and 30 % of it is paused by the NIC of h2');
  const known = blame('ring', [straggler, ['serialisation', 'x', 0.5]]);
  known.advice[0].without = 'stragglers';
  assert.equal(answerOfRun({ ...run([job('ring', 1.182, 1.172)], [known]), late_ranks, repairs }).tries.filter((t) => t.without === 'stragglers').length, 1, 'advice of blame is not given twice');
  assert.match(of([pause, ['straggler', 'rank 3 (h3)', 0.1], ['serialisation', 'x', 0.08]]).sentence, /82 % of it is paused by the NIC of h2, and 10 % of it is a wait for rank 3 \(h3\)/);
  // Without late ranks a pause that costs nothing is the job's own, as that of an in-cast is.
  assert.match(answerOfRun(run([job('ring', 1.182, 1.172)], [blame('ring', [pause, ['serialisation', 'x', 0.18]])])).sentence, /took what an empty network would/);
  // Slower than even that: its late ranks are said, too.
  assert.match(of([['own packets', 'ring', 0.9, 'x->y'], ['serialisation', 'x', 0.1]], 12).sentence, /^`ring` took 10 times its zero-load time; .*; that has rank 3 \(late by 1 ms\) in it$/);
});

test('without blame late ranks are named by what the paths of collectives waited for, or as part of the zero-load time', () => {
  const late_ranks = [{ job: 'ring', text: 'rank 3 (late by 1 ms)' }];
  const call = (late, paused, name = 'ring') => ({ job: name, seconds: 1, critical_path_seconds: { late, wire: 0.2, paused } });
  const of = (collectives, more = late_ranks) => answerOfRun({ ...run([job('ring', 1.175, 1.172)], undefined, { collectives }), late_ranks: more, repairs: [{ without: 'stragglers', advice: 'replace rank 3', because: 'x' }] });
  assert.equal(of([call(0.9, 0), call(0.7, 0.1), call(0, 9, 'other')]).sentence, '`ring` took 1.175 s; 80 % of it is a wait for rank 3 (late by 1 ms), and 5.0 % of it is paused');
  const paused = of([call(0.01, 0.8)]);
  assert.equal(paused.sentence, '`ring` took 1.175 s; 80 % of it is paused; that hides rank 3 (late by 1 ms)');
  assert.match(paused.tries[0].text, /--blame/);
  assert.match(paused.tries[1].text, /^replace rank 3/);
  const graph = of([]);
  assert.equal(graph.sentence, '`ring` took what an empty network would, 1.172 s, within 0.3 %; that has rank 3 (late by 1 ms) in it');
  assert.deepEqual(graph.figures.at(-1), ['late ranks', 'rank 3 (late by 1 ms)']);
  assert.match(of([call(0.9, 0)], []).sentence, /took what an empty network would, 1.172 s, within 0.3 %$/);
  const two = answerOfRun({ ...run([job('a', 1, 1), job('ring', 1, 1)]), late_ranks });
  assert.equal(two.sentence, 'Both jobs took what an empty network would, within 0.1 %; that of `ring` has rank 3 (late by 1 ms) in it');
});

// A port that is full pauses others on behalf of those who fill it.
test('a job that is paused by a port hears who fills that port', () => {
  const rows = [['pause', 'a->h15', 0.8, 'x->y'], ['serialisation', 'x->y', 0.2, 'x->y']];
  const said = (others, own = rows) => answerOfRun(run([job('victim', 6, 1), job('incast', 1, 1)], [blame('victim', own), blame('incast', others)])).sentence;
  const filling = [['own packets', 'incast', 0.6, 'a->h15'], ['pause', 'a->h15', 0.4, 'x->y']];
  assert.match(said(filling), /80 % of it is paused by `a->h15`, which `incast` fills$/);
  assert.doesNotMatch(said([['pause', 'a->h15', 1, 'a->h15']]), /fills/, 'a pause there is no packet');
  assert.doesNotMatch(said(filling, [...rows, ['queueing', 'incast', 0.01, 'a->h15']]), /fills/, 'it is among those who fill it');
});

test('a slow link is named instead of how it shows', () => {
  const slow = blame('ring', [['own packets', 'ring', 0.7, 'a->h1'], ['serialisation', 'x', 0.3]]);
  slow.slow_links = [{ port: 'a->h1', rate_bps: 1e11, usual_rate_bps: 4e11, seconds: '0.71' }];
  const { sentence, tries, figures } = answerOfRun(run([job('ring', 1, 0.6)], [slow]));
  assert.ok(figures.some(([name, text]) => name === 'slow links' && text === '71 %'), 'the figure is what the sentence says');
  assert.match(sentence, /71 % of it passes at slow links or waits for them, first `a->h1` \(100 Gbps instead of 400 Gbps\)/);
  // `weft explain` calls it the NIC of h1, and so does the answer.
  slow.slow_links[0].subject = 'the NIC of h1';
  assert.match(answerOfRun(run([job('ring', 1.4, 1)], [slow])).sentence, /71 % of it passes at slow links or waits for them, first the NIC of h1 \(100 Gbps instead of 400 Gbps\)/);
  // What only takes longer has no rates to compare.
  slow.slow_links[0] = { ...slow.slow_links[0], rate_bps: 4e11, says: 'The link between h1 and leaf0 takes 5 us longer' };
  assert.match(answerOfRun(run([job('ring', 1.4, 1)], [slow])).sentence, /waits for them \(the link between h1 and leaf0 takes 5 us longer\)/);
  assert.equal(tries.length, 2);
});

// Below a quarter other causes may be worse; from a quarter on it is named whatever else there is.
test('a slow link above a quarter is named, though another cause takes more', () => {
  const slow = blame('ring', [['own packets', 'ring', 0.6, 'a->h1'], ['serialisation', 'x', 0.4]]);
  const of = (seconds) => answerOfRun(run([job('ring', 1.4, 1)], [{ ...slow, slow_links: [{ port: 'b->h5', rate_bps: 1e11, usual_rate_bps: 4e11, seconds }] }])).sentence;
  assert.match(of('0.3'), /30 % of it passes at slow links/);
  assert.match(of('0.2'), /60 % of it is queued behind its own packets/);
});

// A slow link is not hidden behind what it makes: it is named where more time passes there than any other cause takes.
test('a slow link below a quarter is named where nothing takes more', () => {
  const slow = blame('ring', [['own packets', 'ring', 0.11, 'a->h1'], ['serialisation', 'x', 0.89]]);
  const of = (seconds) => answerOfRun(run([job('ring', 1.4, 1)], [{ ...slow, slow_links: [{ port: 'b->h5', rate_bps: 1e11, usual_rate_bps: 4e11, seconds }] }])).sentence;
  assert.match(of('0.13'), /13 % of it passes at slow links or waits for them, first `b->h5`/);
  assert.match(of('0.09'), /11 % of it is queued behind its own packets/);
  assert.match(of('0.04'), /11 % of it is queued behind its own packets/);
});

// The ideal time of a job has its slow links in it, too.
test('a job that takes what its slow NIC allows is not healthy', () => {
  const slow = blame('ring', [['congestion control', 'rank 4', 0.5], ['serialisation', 'x', 0.5]]);
  slow.slow_links = [{ port: 'a->h1', rate_bps: 1e11, usual_rate_bps: 4e11, seconds: '0.63' }];
  const { sentence, figures } = answerOfRun(run([job('ring', 1.02, 1)], [slow]));
  assert.equal(sentence, '`ring` took 1.02 s; 63 % of it passes at slow links or waits for them, first `a->h1` (100 Gbps instead of 400 Gbps)');
  assert.deepEqual(figures.slice(0, 2), [['ring took', '1.02 s'], ['slow links', '63 %']]);
});

// Where all NICs are slow, none is slower than others, and the zero-load time has them in it.
test('NICs below the rate of their part are named where all are', () => {
  const warnings = ['racks.server.nic.rate (line 3) is `100Gbps`, and connectx-7 has 400Gbps: the NICs there run below their rate; raise racks.server.nic.rate to 400Gbps, or write the part out without `part` if that is meant'];
  const { sentence, tries } = answerOfRun(run([job('ring', 1.02, 1)], [blame('ring', [['serialisation', 'x', 1]])], { warnings }));
  assert.equal(sentence, '`ring` took what an empty network would, 1 s, within 2 %; but NICs run at 100 Gbps, and connectx-7 has 400 Gbps');
  assert.match(tries[0].text, /^raise racks\.server\.nic\.rate to 400Gbps/);
  const known = blame('ring', [['serialisation', 'x', 1]]);
  known.slow_links = [{ port: 'a->h1', rate_bps: 1e11, usual_rate_bps: 4e11, seconds: '0.63' }];
  assert.doesNotMatch(answerOfRun(run([job('ring', 1.02, 1)], [known], { warnings })).sentence, /but NICs/, 'once is enough');
});

test('every cause of blame has its words and its colour', () => {
  const source = readFileSync(new URL('../../../../scenarios/blame/cause.cpp', import.meta.url), 'utf8');
  const causes = [...source.matchAll(/return "([^"]+)"/g)].map(([, name]) => name).filter((name) => name !== 'unknown');
  assert.ok(causes.length > 14);
  for (const cause of [...causes, 'own packets']) {
    assert.ok(causesWithWords().includes(cause), `words: ${cause}`);
    assert.ok(causesWithColours().includes(cause), `colour: ${cause}`);
  }
  const channels = (cause) => ofCause(cause).match(/[0-9a-f]{2}/g).map((v) => Number.parseInt(v, 16));
  for (const [i, one] of causesWithColours().entries()) {
    for (const other of causesWithColours().slice(i + 1)) assert.ok(Math.hypot(...channels(one).map((v, c) => v - channels(other)[c])) > 24, `${one} and ${other}`);
  }
});

test('frames that links send again are said of a healthy run, and its links are to be mended', () => {
  const repairs = [{ without: 'bit-errors', advice: 'mend the links that corrupt frames', because: '2,299 frames were sent again by links' }];
  const { sentence, tries } = answerOfRun({ ...run([job('ring', 1.02, 1)], [blame('ring', [['serialisation', 'x', 1]])], { network: { frames_replayed: 2299 } }), repairs });
  assert.match(sentence, /within 2 %; but links sent 2,299 frames again$/);
  assert.match(tries[0].text, /^mend the links that corrupt frames/);
  assert.equal(tries[0].why, '2,299 frames were sent again by links');
});

test('a link that sends again is named', () => {
  const { sentence } = answerOfRun(run([job('ring', 2, 1)], [{ ...blame('ring', [['link retry', 'a->b', 1, 'a->b'], ['serialisation', 'x', 1]]), advice: [] }]));
  assert.match(sentence, /50 % of it is frames that links send again, or their ACKs, most at `a->b`$/);
});

// Of two jobs that share a link each is held back by its control: without the other it would not be.
test('a control that answers to another job names that job', () => {
  const { sentence } = answerOfRun(run([job('blue', 3.3, 1), job('red', 1, 1)], [blame('blue', [['congestion control', 'rank 1', 0.8], ['queueing', 'red', 0.08, 'a->b'], ['serialisation', 'x', 0.12]])]));
  assert.match(sentence, /^`blue` took 3.3 times its zero-load time; 80 % of it is held back by congestion control, most rank 1, and 8.0 % of it is queued behind packets of `red`, most at `a->b`$/);
  const own = answerOfRun(run([job('blue', 2, 1)], [blame('blue', [['own packets', 'blue', 1, 'a->b'], ['serialisation', 'x', 1]])]));
  assert.match(own.sentence, /50 % of it is queued behind its own packets, most at `a->b`$/);
});

test('what is to be tried is the advice of blame, in its order, with failures that were counted', () => {
  const advice = [
    { against: 'the NIC of h3 runs at 100 Gbps of 400 Gbps', kind: 'degradation', seconds: '0.2', share: 0.2, advice: 'mend what is slow', without: 'slow-links' },
    { against: 'time-out', kind: 'degradation', seconds: '0.1', share: 0.1, advice: 'mend the links that fail, or routes', without: 'link-failures' },
    { against: 'congestion control', kind: 'setting', seconds: '0.3', share: 0.3, advice: 'spraying', without: 'collisions' },
    { against: 'congestion control', kind: 'setting', seconds: '0.3', share: 0.3, advice: 'thresholds' },
    { against: 'serialisation', kind: 'plan', seconds: '0.6', share: 0.6, advice: 'fewer bytes' },
    { against: 'own packets', kind: 'plan', seconds: '0.1', share: 0.1, advice: 'fewer that meet' }];
  const sick = run([job('ring', 2, 1)], [{ ...blame('ring', [['time-out', 'x', 0.4], ['serialisation', 'x', 0.6]]), advice }], { network: { packets_dropped: 7, fault_drops: 4, watchdog_drops: 2, error_drops: 1 } });
  const { tries } = answerOfRun({ ...sick, repairs: [{ without: 'link-failures', advice: 'mend the links that fail', because: '4 packets were dropped there' }, { without: 'bit-errors', advice: 'mend the links that corrupt frames', because: '1 packet was lost there' }] });
  const without = (what) => `; \`weft run --without ${what}\` shows what it costs`;
  assert.deepEqual(tries.map((t) => [t.text, t.layer, t.why]), [
    [`mend what is slow${without('slow-links')}`, 'a defect', 'the NIC of h3 runs at 100 Gbps of 400 Gbps: 20 % of ring'],
    [`mend the links that fail, or routes${without('link-failures')}`, 'a defect', 'time-out: 10 % of ring, 4 packets were dropped there'],
    [`mend the links that corrupt frames${without('bit-errors')}`, 'a defect', '1 packet was lost there'],
    [`spraying${without('collisions')}`, 'placement and paths', 'congestion control: 30 % of ring'],
    ['thresholds', 'what the scenario sets', 'congestion control: 30 % of ring'],
    ['fewer bytes', 'hardware', 'serialisation: 60 % of ring'],
    ['fewer that meet', 'the plan of the job', 'own packets: 10 % of ring']]);
  const warned = answerOfRun({ ...sick, summary: { ...sick.summary, warnings: ['packets wait; raise transport.retransmit_timeout', 'nothing more'] } }).tries;
  assert.deepEqual(warned.slice(0, 3).map(({ text }) => text.slice(0, 12)), ['mend what is', 'mend the lin', 'raise transp']);
});

test('advice of several jobs that is the same is given once', () => {
  const { tries } = answerOfRun(run([job('a', 2, 1), job('b', 3, 1)], ['a', 'b'].map((name) => blame(name, [['pause', 'x', 1], ['compute', 'rank 1', 1]]))));
  assert.deepEqual(tries.map((t) => [t.text, t.why]), [['marks that act before pauses', 'pause: 50 % of b, pause: 50 % of a'], ['a faster GPU', 'compute: 50 % of b, compute: 50 % of a']]);
});

test('packets that PFC watchdogs dropped were not dropped by failed links, and the worst incident is named', () => {
  const incidents = [{ kind: 'flapping', place: 'leaf0 to spine3', lost_packets: 10 }, { kind: 'pause-storm', place: 'leaf0[3]->h3', lost_packets: 48 }, { kind: 'link-down', place: 'x', lost_packets: 0 }];
  const { sentence } = answerOfRun(run([job('a', 1, 1)], [], { network: { packets_dropped: 58, fault_drops: 10, watchdog_drops: 48 }, incidents }));
  assert.match(sentence, /^58 packets were dropped, most by PFC watchdogs, most in pause-storm of `leaf0\[3\]->h3`; /);
  const one = answerOfRun(run([job('a', 1, 1)], [], { network: { packets_dropped: 16, fault_drops: 16 }, incidents: [{ kind: 'link-down', place: 'h3 to p5-leaf0', lost_packets: 16 }] }));
  assert.match(one.sentence, /^16 packets were dropped, by failed links, in link-down of `h3 to p5-leaf0`; /);
});

test('every count of dropped packets of a summary has its words', () => {
  const source = readFileSync(new URL('../../../../scenarios/results/summary/network_record.cpp', import.meta.url), 'utf8');
  const counts = [...source.matchAll(/"(\w+_drops)"/g)].map(([, name]) => name).filter((name) => name !== 'headroom_pool_drops');
  assert.ok(counts.length >= 8);
  for (const name of counts) assert.match(answerOfRun(run([job('a', 1, 1)], [], { network: { packets_dropped: 3, [name]: 3 } })).sentence, /^3 packets were dropped, by /, name);
});

test('what switches trimmed is not said to be lost alone', () => {
  const of = (network) => answerOfRun(run([job('a', 2, 1)], [blame('a', [['retransmission', 'rank 1', 1]])], { network })).sentence;
  assert.match(of({ packets_trimmed: 5 }), /is sending again what was trimmed or lost, most/);
  assert.match(of({}), /is sending again what was lost, most/);
});

const trained = (label, seconds, tokens, mfu, more = {}) => ({ ...run([job('llama', seconds, seconds)], undefined, { training: [{ job: 'llama', step_seconds: { mean: seconds }, tokens_per_second: tokens, mfu }] }), label, ...more });

test('of two runs the faster is named, with tokens and MFU', () => {
  const { sentence, figures } = answerOfRuns([trained('HGX', 0.003452, 1.1e7, 0.11), trained('NVL72', 0.001, 3.8e7, 0.38)]);
  assert.equal(sentence, '`NVL72` is 3.5 times as fast: 38 against 11 M tokens/s');
  assert.deepEqual(figures, [['as fast', '3.5x'], ['a step, NVL72', '1 ms', 'best'], ['a step, HGX', '3.452 ms'], ['MFU', '38.0 against 11.0 %']]);
  assert.equal(against('1 ms', '30 us'), '1 ms against 30 us');
});

// A step of more tokens takes longer, and says nothing of which machine is faster.
// Where folders have several jobs the sentence names those that it speaks of, and what is of the others.
test('of runs with several jobs all are compared, and named', () => {
  const of = (label, times) => ({ ...run(Object.entries(times).map(([name, seconds]) => job(name, seconds, seconds))), label });
  const said = (...runs) => answerOfRuns(runs).sentence;
  assert.equal(said(of('a', { ring: 1, tail: 1 }), of('b', { ring: 1.25, tail: 2 })), '`a` is 2 times as fast in `tail`: 1 against 2 s, and 1.25 times in `ring`');
  assert.equal(said(of('a', { ring: 1, tail: 1 }), of('b', { ring: 0.5, tail: 4 })), '`a` is 4 times as fast in `tail`: 1 against 4 s; but `b` is 2 times as fast in `ring`');
  assert.equal(said(of('a', { ring: 1, tail: 1 }), of('b', { ring: 1.001, tail: 4 })), '`a` is 4 times as fast in `tail`: 1 against 4 s; `ring` takes the same');
  const blamed = (label, seconds) => ({ ...of(label, { ring: 1, tail: seconds }), blame: [blame('tail', [['pause', 'x', seconds - 0.5], ['serialisation', 'x', 0.5]])] });
  assert.match(said(blamed('a', 1), blamed('b', 2)), /; `ring` takes the same; all of the difference in `tail` is pause/);
  const many = said(of('a', { ring: 1, x: 1, y: 1, z: 1, s: 1, t: 1 }), of('b', { ring: 9, x: 2, y: 3, z: 4, s: 1, t: 1 }));
  assert.equal(many, '`a` is 9 times as fast in `ring`: 1 against 9 s, and 4 times in `z` and 3 times in `y` and 1 more job; `s` and `t` take the same');
  const same = answerOfRuns([of('a', { ring: 1, tail: 2 }), of('b', { ring: 1, tail: 2 })]);
  assert.equal(same.sentence, 'neither `ring` nor `tail` differs by more than 0.1 %');
  assert.deepEqual(same.figures, [['ring took', '1 s'], ['tail took', '2 s']]);
  assert.match(said(of('a', { r: 1, s: 1, t: 1 }), of('b', { r: 1, s: 1, t: 1 })), /^none of 3 jobs differs by more than/);
});

// `weft report A B --expect ...`: verdicts on both runs, as `weft compare` prints them.
test('what is expected of several runs stands before which of them is faster', () => {
  const runs = [['before', 1], ['after', 2]].map(([label, seconds]) => ({ ...run([job('a', seconds, seconds)]), label }));
  const one = (holds) => ({ expectation: 'b.jobs.a.jct <= a.jobs.a.jct', holds, values: { 'b.jobs.a.jct_seconds': 2, 'a.jobs.a.jct_seconds': 1 } });
  const failed = answerOfRuns(runs, [one(false), one(true)]);
  assert.match(failed.sentence, /^1 of 2 expectations does not hold: `b\.jobs\.a\.jct <= a\.jobs\.a\.jct`: `b\.jobs\.a\.jct_seconds` is 2 s, .*; `before` is 2 times as fast/);
  assert.deepEqual(failed.figures[0], ['expectations that hold', '1 of 2']);
  assert.ok(failed.figures.length <= 4);
  assert.match(answerOfRuns(runs, [one(true)]).sentence, /^`before` is 2 times as fast: .*; the expectation holds$/);
  assert.match(answerOfRuns(runs, [one(true), one(true)]).sentence, /; all 2 expectations hold$/);
  assert.doesNotMatch(answerOfRuns(runs).sentence, /expectation/);
});

test('runs whose steps have other tokens are compared by tokens per second', () => {
  const of = (label, seconds, tokens) => ({ ...trained(label, seconds, tokens, 0.2), blame: [blame('llama', [['compute', 'rank 0', seconds]])] });
  const [hgx, rack, slow] = [of('HGX', 0.0153, 1.07e6), of('NVL72', 0.0032, 1.15e7), of('slow', 0.0016, 1.02e6)];
  const { sentence, figures } = answerOfRuns([hgx, rack]);
  assert.equal(sentence, '`NVL72` is 11 times as fast: 11.5 against 1.07 M tokens/s; but a step has 36.8 against 16.4 k tokens');
  assert.deepEqual(figures.slice(0, 3), [['as fast', '11x'], ['trains at, NVL72', '11.5 M tokens/s', 'best'], ['trains at, HGX', '1.07 M tokens/s']]);
  // The shortest step is not the fastest run, and what is near the fastest is near by tokens.
  assert.match(answerOfRuns([hgx, slow]).sentence, /^`HGX` is 1\.05 times as fast: 1\.07 against 1\.02 M tokens\/s/);
  assert.match(answerOfRuns([hgx, rack, slow]).sentence, /^`NVL72` is the fastest of 3 runs: 11 times as fast as `slow`, the slowest: .*; none other is within 5 % of it; but a step/);
});

const priced = (label, seconds, tokens, price, mfu = 0.38) => {
  const one = trained(label, seconds, tokens, mfu);
  Object.assign(one.summary.training[0], { model_flops_per_second: 1.7e8 * tokens, dollars_per_step: price && (price * tokens * seconds) / 1e6, dollars_per_million_tokens: price });
  return one;
};

test('a run says what a step and a million tokens cost, where a price is known', () => {
  const of = (price, mfu, change = {}) => {
    const one = priced('a', 0.002, 2e6, price, mfu);
    Object.assign(one.summary.training[0], change);
    return answerOfRun(one).figures;
  };
  assert.deepEqual(of(0.25, 0.38), [['a step of llama', '2 ms'], ['trains at', '2 M tokens/s'], ['MFU', '38.0 %'], ['a step and 1 M tokens cost', '$0.001 and $0.25']]);
  assert.deepEqual(of(null, 0.38), [['a step of llama', '2 ms'], ['trains at', '2 M tokens/s'], ['a GPU at', '340.0 TFLOP/s'], ['MFU', '38.0 %']]);
  assert.deepEqual(of(undefined, 0.38), of(null, 0.38), 'folders of older versions have no such column');
  // A GPU whose rate is not known has no MFU: its rate stays.
  assert.deepEqual(of(0.25, null).map(([name]) => name), ['a step of llama', 'trains at', 'a GPU at', 'a step and 1 M tokens cost']);
  assert.deepEqual(of(0.25, 0.38, { dollars_per_million_tokens: null }).at(-1), ['a step costs', '$0.001']);
  assert.deepEqual(of(0.25, 0.38, { dollars_per_step: null }).at(-1), ['1 M tokens cost', '$0.25']);
});

test('a comparison says what a million tokens cost, where all prices are known', () => {
  const { sentence, figures } = answerOfRuns([priced('HGX', 0.003452, 1.1e7, 0.9, 0.11), priced('NVL72', 0.001, 3.8e7, 0.25)]);
  assert.deepEqual(figures, [['as fast', '3.5x'], ['trains at, NVL72 against HGX', '38 against 11 M tokens/s', 'best'], ['MFU', '38.0 against 11.0 %'], ['1 M tokens cost', '$0.25 against $0.9']]);
  assert.doesNotMatch(sentence, /\$/, 'the fastest is the cheapest, too');
  for (const price of [null, undefined]) {
    const unknown = answerOfRuns([priced('HGX', 0.003452, 1.1e7, price, 0.11), priced('NVL72', 0.001, 3.8e7, 0.25)]);
    assert.deepEqual(unknown.figures.map(([name]) => name), ['as fast', 'a step, NVL72', 'a step, HGX', 'MFU']);
    assert.doesNotMatch(JSON.stringify(unknown), /\$/);
  }
  // Without MFU and without a reason there is room for both times.
  assert.deepEqual(answerOfRuns([priced('x', 2, 1, 3, null), priced('y', 1, 2, 1, null)]).figures.map(([name]) => name), ['as fast', 'a step, y', 'a step, x', '1 M tokens cost']);
});

test('a comparison names the cheapest run where another one is the fastest', () => {
  const of = (...prices) => answerOfRuns(prices.map((price, i) => priced('abc'[i], 1 + i, 6 / (1 + i), price)));
  assert.match(of(0.9, 0.25).sentence, /; but `b` is cheaper: 1 M tokens cost \$0\.25 against \$0\.9/);
  assert.match(of(0.9, 0.25, 0.5).sentence, /; but `b` is cheaper: 1 M tokens cost \$0\.25 against \$0\.9/);
  assert.doesNotMatch(of(0.25, 0.2499).sentence, /cheaper/, 'within a hundredth it is the same');
  assert.doesNotMatch(of(0.9, 0.25, null).sentence, /cheaper/);
  // Machines that are as fast may cost more.
  const same = answerOfRuns([priced('x', 1, 1, 3), priced('y', 1, 1, 2)]);
  assert.match(same.sentence, /^no job differs by more than 0\.1 %; but `y` is cheaper: 1 M tokens cost \$2 against \$3/);
  assert.deepEqual(same.figures, [['llama took', '1 s'], ['1 M tokens cost, x against y', '$3 against $2']]);
});

test('runs that did not finish are named first, and what is the same is no winner', () => {
  const cut = trained('cut', 1, 1, 1);
  cut.summary.outcome = 'horizon';
  assert.equal(answerOfRuns([trained('a', 1, 1, 1), trained('b', 1.0005, 1, 1), cut]).sentence, '`cut` was cut off; of the others no job differs by more than 0.1 %');
  assert.match(answerOfRuns([trained('a', 1, 1, 1, { scenario: 'seed: 1\nx: 2' }), trained('b', 2, 0.5, 1, { scenario: 'seed: 1\nx: 3' })]).sentence, /^`a` is 2 times as fast: .*; only `x` differs$/);
});

test('where no job differs nothing is to be looked for', () => {
  const same = answerOfRuns([trained('a', 1, 1, 1), trained('b', 1.0005, 1, 1)]);
  assert.deepEqual(same.tries, []);
  assert.notDeepEqual(answerOfRuns([trained('a', 1, 1, 1), trained('b', 2, 0.5, 1)]).tries, []);
});

test('a link that only takes longer is not said to be slow by its rate', () => {
  const longer = { port: 'a->h1', rate_bps: 4e11, usual_rate_bps: 4e11, says: 'The link a->h1 takes 1.4 us longer' };
  assert.equal(slowLinkText(longer), 'the link a->h1 takes 1.4 us longer');
  assert.equal(slowLinkText({ ...longer, port: 'a->h1', rate_bps: 1e11 }), '`a->h1` (100 Gbps instead of 400 Gbps)');
});

// A run was "1.1 times as fast" as another with the same keys and another seed.
test('runs that differ in the seed alone show what chance makes', () => {
  const of = (label, seed, seconds, more = '') => ({ ...run([job('p', seconds, 1)]), label, scenario: `seed: ${seed}${more}` });
  const { sentence, figures, tries } = answerOfRuns([of('a', 1, 1), of('b', 2, 1.1), of('c', 3, 1.05)]);
  assert.equal(sentence, 'chance alone: only the seed differs, and `p` takes 1 s to 1.1 s in 3 runs; a change of the scenario that makes less than 10.0 % is not told from it');
  assert.deepEqual(figures, [['by the seed alone', '10.0 %'], ['least', '1 s'], ['greatest', '1.1 s']]);
  assert.ok(tries.some((t) => t.text.startsWith('several seeds of each')));
  assert.match(answerOfRuns([of('a', 1, 1), of('b', 2, 1.001)]).sentence, /^no job differs by more than 0\.1 %; only `seed` differs$/);
  assert.match(answerOfRuns([of('a', 1, 1, '\nx: 1'), of('b', 2, 1.1, '\nx: 2')]).sentence, /^`a` is 1\.1 times as fast/);
});

test('jobs on other numbers of ranks are compared by what each does, and more ranks are no advice', () => {
  const of = (label, ranks, seconds, busbw) => ({ ...run([job('ar', seconds, 1, { type: 'all-reduce', ranks, bytes: null, busbw_bytes_per_second: busbw })]), label, scenario: `racks: ${ranks}` });
  const { sentence, tries } = answerOfRuns([of('a', 16, 1, 40e9), of('b', 32, 1.3, null)]);
  assert.match(sentence, /^`a` is 1\.3 times as fast: 1 against 1\.3 s; but on 16 against 32 ranks: which are other jobs; only `racks` differs$/);
  assert.ok(tries.every((t) => t.layer !== 'what differs'));
  assert.match(answerOfRuns([of('a', 16, 1, 40e9), of('b', 32, 1, 31e9)].map((one, i) => { one.summary.jobs[0].jct_seconds = [1.29, 1.664][i]; return one; })).sentence, /; but on 16 against 32 ranks: bus bandwidth 40\.00 against 31\.00 GB\/s; /);
  const [small, large] = [trained('a', 1, 2, 1), trained('b', 0.5, 4, 1)];
  [small, large].forEach(({ summary }, i) => { summary.jobs[0].ranks = [8, 32][i]; summary.training[0].tokens_per_second = [2e6, 4e6][i]; });
  assert.match(answerOfRuns([small, large]).sentence, /; but on 32 against 8 ranks: 125 against 250 k tokens\/s for each/);
});

test('a job that not all runs have is one difference, and not one for each of its keys', () => {
  const keys = 'jobs:\n  - name: a\n    size: 1';
  const of = (label, seconds, scenario) => ({ ...run([job('a', seconds, 1)]), label, scenario });
  assert.match(answerOfRuns([of('one', 1, keys), of('two', 2, `${keys}\n  - name: b\n    size: 2\n    type: incast`)]).sentence, /; only `two` has job `b`$/);
  assert.match(answerOfRuns([of('one', 1, keys), of('two', 2, `${keys.replace('size: 1', 'size: 3')}\n  - name: b\n    size: 2`)]).sentence, /; only `jobs\[0\]\.size` and job `b` differ$/);
});

test('engines that differ are said', () => {
  const [a, b] = ['packet', 'fluid'].map((engine) => ({ ...run([job('j', 1, 1)], undefined, { engine }), label: engine }));
  assert.match(answerOfRuns([a, b]).sentence, /^no job differs by more than 0\.1 %; `packet` is simulated by packets, `fluid` is simulated as a fluid$/);
});

test('open loops are compared by their tails, and tails are said where times are the same', () => {
  const of = (label, type, seconds, p99, max = p99) => ({ ...run([job('rpc', seconds, null, { type, fct_seconds: { p99, max } })]), label, scenario: `x: ${label}` });
  const open = answerOfRuns([of('a', 'open-loop', 9, 1e-3), of('b', 'open-loop', 8, 3e-3)]);
  assert.match(open.sentence, /^`a` is 3 times as fast: 99 % of its messages are over within 1 against 3 ms; /);
  assert.deepEqual(open.figures.slice(1, 2), [['p99 of rpc, a', '1 ms', 'best']]);
  assert.match(answerOfRuns([of('a', 'incast', 1, 1e-3), of('b', 'incast', 1, 2e-3)]).sentence, /^no job differs by more than 0\.1 %; but 1 in 100 messages of `rpc` takes 2 times as long in `b`: 2 against 1 ms; /);
  assert.match(answerOfRuns([of('a', 'incast', 1, 1e-3, 4e-3), of('b', 'incast', 1, 1e-3)]).sentence, /; but the slowest message of `rpc` takes 4 times as long in `a`: 4 against 1 ms; /);
  assert.doesNotMatch(answerOfRuns([of('a', 'incast', 1, 1e-3), of('b', 'incast', 1, 1.09e-3)]).sentence, /but/);
});

// `slow links, first the link takes longer` is no sentence.
test('what takes longer, or takes in less than comes, is said behind the slow links', () => {
  const of = (link) => { const slow = blame('a', [['serialisation', 'x', 3], ['queueing', 'x', 1]]); slow.slow_links = [{ ...link, seconds: '3' }]; return answerOfRun(run([job('a', 4, 4)], [slow])).sentence; };
  assert.match(of({ port: 'leaf0[1]->h1', subject: 'each NIC', says: 'each NIC takes in 200 Gbps of 400 Gbps', rate_bps: 2e11, usual_rate_bps: 4e11 }), /; 75 % of it passes at slow links or waits for them \(each NIC takes in 200 Gbps of 400 Gbps\)/);
  assert.match(of({ port: 'a->h1', subject: 'the link a->h1', says: 'the link a->h1 takes 1.4 us longer', rate_bps: 4e11, usual_rate_bps: 4e11 }), /waits for them \(the link a->h1 takes 1\.4 us longer\)/);
  assert.match(of({ port: 'a->h1', subject: 'the NIC of h1', says: 'the NIC of h1 runs at 1', rate_bps: 1e11, usual_rate_bps: 4e11 }), /waits for them, first the NIC of h1 \(100 Gbps instead of 400 Gbps\)/);
});

test('a window that is too small is part of the zero-load time, and is named', () => {
  const { sentence, figures } = answerOfRun(run([job('a', 1, 0.98)], [blame('a', [['window', 'rank 1 -> rank 0', 0.85], ['serialisation', 'x', 0.15]])]));
  assert.match(sentence, /^`a` took 1 s; 85 % of it is a wait for a full window, most rank 1 -> rank 0/);
  assert.deepEqual(figures[1], ['window', '85 %']);
  assert.match(answerOfRun(run([job('a', 1, 0.98)], [blame('a', [['window', 'x', 0.2], ['serialisation', 'x', 0.8]])])).sentence, /^`a` took what an empty network would/);
});

test('a switch with settings of its own is named with what it is behind', () => {
  const slow = blame('a', [['congestion control', 'rank 5 -> rank 9', 3], ['serialisation', 'x', 1]]);
  slow.advice = [{ against: 'congestion control', kind: 'degradation', seconds: '3', share: 0.75, advice: 'set leaf1 as the others are', without: 'changed-settings', place: 'leaf1' }];
  const { sentence, tries } = answerOfRun(run([job('a', 4, 1)], [slow], {}));
  assert.match(sentence, /; 75 % of it is held back by congestion control, most rank 5 -> rank 9, and `leaf1` has settings of its own$/);
  assert.match(tries[0].text, /^set leaf1 as the others are; `weft run --without changed-settings` shows/);
});

test('links between switches that set the zero-load time are named', () => {
  const of = (by, took = 3) => answerOfRun(run([job('a', took, 1, { ideal_set_by: by })], [blame('a', [['congestion control', 'x', 2], ['serialisation', 'x', 1]])])).sentence;
  assert.match(of('tier 1 egress around leaf0'), /^`a` took 3 times its zero-load time, which tier 1 egress around leaf0 sets; 67 % of it/);
  assert.match(of('NIC ingress of h0'), /^`a` took 3 times its zero-load time; 67 % of it/);
  assert.match(of('tier 1 egress around leaf0', 33), /^`a` took 33 times its zero-load time; /, 'next to nothing of what it took');
});

test('tokens per second of a slice of a model are said to be of a slice', () => {
  const of = (layers) => answerOfRun({ ...trained('a', 0.002, 2e6, 0.3), scenario: `jobs:\n  - name: llama\n    type: training\n    model:\n      preset: llama2-7b\n      layers: ${layers}` }).figures.slice(0, 2).map(([name]) => name);
  assert.deepEqual(of('2'), ['a step of llama, a slice of 2 layers', 'the slice trains at']);
  assert.deepEqual(of('32                # default: preset llama2-7b'), ['a step of llama', 'trains at']);
});

test('what few keys change is tried as the fastest run has it', () => {
  const of = (label, seconds, scenario) => ({ ...run([job('j', seconds, 1)]), label, scenario });
  const pair = [of('hash', 8, 'seed: 1\nlb: ecmp\nreceiver: in-order'), of('spray', 1, 'seed: 1\nlb: spray\nreceiver: any-order')];
  const { sentence, tries } = answerOfRuns(pair);
  assert.match(sentence, /; only `lb` and `receiver` differ$/);
  assert.deepEqual([tries[0].text, tries[0].why], ['`lb: spray`, `receiver: any-order`, as in `spray`', '8 times as fast']);
  // Seeds are no cure, what is the same is none, and of many keys none is singled out.
  for (const scenario of ['seed: 2\nlb: ecmp\nreceiver: in-order', 'a: 1\nb: 2\nc: 3\nd: 4\ne: 5']) {
    assert.ok(answerOfRuns([pair[0], of('other', 1, scenario)]).tries.every(({ layer }) => layer !== 'what differs'), scenario);
  }
  assert.ok(answerOfRuns([pair[0], { ...pair[1], summary: pair[0].summary }]).tries.every(({ layer }) => layer !== 'what differs'));
});

test('jobs that do not do the same are not compared', () => {
  const of = (label, type, seconds, bytes) => { const one = { ...run([job('j', seconds, 1)]), label }; Object.assign(one.summary.jobs[0], { type, bytes }); return one; };
  const { sentence, figures } = answerOfRuns([of('a', 'incast', 1, 5), of('b', 'permutation', 2, 5)]);
  assert.equal(sentence, 'the jobs do not do the same, and are not compared: incast in `a`, 1 s; permutation in `b`, 2 s');
  assert.deepEqual(figures, [['runs finished', '2 of 2']]);
  // Neither are those of one type whose work differs: a job of half the bytes is no faster.
  const halves = answerOfRuns([of('a', 'incast', 1, 1048576), of('b', 'incast', 2, 4194304)]);
  assert.equal(halves.sentence, 'the jobs do not do the same, and are not compared: incast that sends 1 MiB in `a`, 1 s; incast that sends 4 MiB in `b`, 2 s');
  const ring = (label, seconds, size, bytes, algorithm = 'ring') => {
    const one = of(label, 'all-reduce', seconds, bytes);
    one.scenario = `seed: 1\njobs:\n  - name: j\n    type: all-reduce\n    size: ${size}MiB\n    algorithm: ${algorithm}`;
    one.summary.jobs[0].busbw_bytes_per_second = (size * 1048576 * 1.75) / seconds;
    return one;
  };
  const sizes = answerOfRuns([ring('a', 2, 16, 32e6), ring('b', 1, 8, 16e6)]);
  assert.match(sizes.sentence, /^the jobs do not do the same, and are not compared: .*, 2 s, bus bandwidth 0\.01 GB\/s; .*; only `jobs\[0\]\.size` differs$/);
  assert.deepEqual([sizes.figures, sizes.tries.filter(({ layer }) => layer === 'what differs')], [[['runs finished', '2 of 2']], []]);
  // Other algorithms send other bytes for the same result.
  assert.match(answerOfRuns([ring('a', 2, 16, 32e6), ring('b', 1, 16, 64e6, 'tree')]).sentence, /^`b` is 2 times as fast: 1 against 2 s; only `jobs\[0\]\.algorithm` differs$/);
  // What arrives by chance is another sum for another seed, of one order.
  const chance = (label, seed, bytes) => ({ ...of(label, 'rpc', seed, bytes), scenario: `seed: ${seed}\njobs:\n  - name: j\n    load: 0.3` });
  assert.match(answerOfRuns([chance('a', 1, 10), chance('b', 2, 12)]).sentence, /^chance alone: .* `j` takes 1 s to 2 s in 2 runs; /);
  // Steps of a model of other layers have other operations for a token.
  const [whole, slice] = [priced('a', 2, 1e6, 1), priced('b', 1, 2e6, 1)];
  for (const { summary } of [whole, slice]) summary.jobs[0].ranks = 8;
  whole.summary.training[0].model_flops_per_second *= 2;
  assert.match(answerOfRuns([whole, slice]).sentence, /^the jobs do not do the same, and are not compared: [^;]* in `a`, a step of 2 s; /);
});

test('most of the difference has a cause', () => {
  const [a, b] = [['a', [['serialisation', 'x', 1]]], ['b', [['serialisation', 'x', 1], ['pause', 'y', 3], ['queueing', 'y', 1]]]].map(([label, rows], i) => ({ ...run([job('j', i ? 5 : 1, 1)], [blame('j', rows)]), label }));
  const { sentence, tries } = answerOfRuns([a, b]);
  assert.equal(sentence, '`a` is 5 times as fast: 1 against 5 s; 75 % of the difference is pause');
  assert.equal(tries[0].text, 'marks that act before pauses');
});

// What a slow link makes shows as queueing and congestion control: the difference is the link.
test('a difference at slow links is theirs', () => {
  const slow = blame('j', [['congestion control', 'rank 7', 3], ['serialisation', 'x', 2]]);
  slow.slow_links = [{ port: 'a->h1', rate_bps: 1e11, usual_rate_bps: 4e11, seconds: '3.2' }];
  const [a, b] = [['a', blame('j', [['serialisation', 'x', 1]]), 1], ['b', slow, 5]].map(([label, blamed, seconds]) => ({ ...run([job('j', seconds, 1)], [blamed]), label }));
  const { sentence, figures } = answerOfRuns([a, b]);
  assert.equal(sentence, '`a` is 5 times as fast: 1 against 5 s; 80 % of the difference is slow links, first `a->h1` (100 Gbps instead of 400 Gbps)');
  assert.deepEqual(figures.at(-1), ['of it slow links', '80 %']);
});

test('of several runs those are named that are as good, and a run that was cut off is run again first', () => {
  const of = (label, seconds) => ({ ...run([job('j', seconds, 1)]), label });
  assert.match(answerOfRuns([of('a', 1), of('b', 1.03), of('c', 4)]).sentence, /1 against 4 s; `b` is within 5 % of it$/);
  assert.match(answerOfRuns([of('a', 1), of('b', 1.2), of('c', 4)]).sentence, /1 against 4 s; none other is within 5 % of it$/);
  const cut = of('cut', 1);
  cut.summary.outcome = 'horizon';
  assert.equal(answerOfRuns([of('a', 1), cut]).tries[0].text, 'a horizon, `run.until`, beyond 1 ms');
});

const point = (id, size, mode, value, more = {}) => ({ id, configuration: id, status: 'done', outcome: 'finished', counts: true, values: [size, mode], texts: [`${size}KB`, mode], metrics: [value], ...more });
const sweep = (points) => ({ name: 's', folder: 's', quoted_folder: 's', parameters: [{ name: 'size', unit: 'B' }, { name: 'mode', unit: '' }], objectives: [{ name: 'time', metric: 'a.jct_seconds', goal: 'min' }], metrics: [{ name: 'a.jct_seconds', unit: 's' }], student: [], points });

test('a sweep has its best point, how many are as good, and what did not run', () => {
  const points = [point(0, 1, 'x', 1), point(1, 2, 'x', 1.04), point(2, 4, 'x', 2), point(3, 1, 'y', 3), point(4, 2, 'y', 0.5, { cut_off: { 0: 'of 7 of 32 messages' } }), point(5, 4, 'y', null, { counts: false, status: 'crash' })];
  const { sentence, figures, tries } = answerOfSweep(new Points(sweep(points)));
  assert.equal(sentence, 'Best time: 1 s, at size `1KB`, mode `x`; 1 other is within 5 % of it, by one seed: what others change is not known; of 6 points 1 was cut off, 1 failed');
  assert.deepEqual(figures, [['best time', '1 s', 'best'], ['worst time', '3 s'], ['within 5 %', '2 of 4'], ['cut off or failed', '2 of 6']]);
  // Another value of size is as good: nothing says that less of it is better.
  assert.match(tries[0].text, /^other values of `mode`/);
  const alone = points.filter((p) => p.id !== 1).concat(point(1, 2, 'x', 1.06));
  assert.equal(answerOfSweep(new Points(sweep(alone))).tries[0].text, 'values of `size` below `1KB`');
  assert.match(answerOfSweep(new Points(sweep([point(0, 1, 'x', null, { counts: false, status: 'crash' })]))).sentence, /^No point has a result/);
});

test('of a choice the better value is named, where all else is the same', () => {
  const points = [1, 2, 4].flatMap((size, i) => [
    point(3 * i, size, 'x', size),
    point(3 * i + 1, size, 'y', i === 2 ? 2 : 4 * size),
    point(3 * i + 2, size, 'z', i === 2 ? null : 9, i === 2 ? { counts: false, status: 'crash' } : {}),
  ]);
  const start = (list) => answerOfSweep(new Points(sweep(list))).sentence.split('; ')[0];
  // Of size 4 KB not all modes are there: x is 4 times better than y at the others, and z 9 and 4.5 times worse.
  assert.equal(start(points), 'of `mode`, `x` is 6.4 times better than `z` on average, and the best at 2 of 2 other settings');
  const two = points.filter((p) => p.texts[1] !== 'z');
  // 1/4, 1/8 and 4/2: the geometric mean of 4, 4 and 1/2 is 2.
  assert.equal(start(two), 'of `mode`, `x` is 2 times better than `y` on average, and the best at 2 of 3 other settings');
  const most = { ...sweep(two), objectives: [{ name: 'rate', metric: 'a.jct_seconds', goal: 'max' }] };
  assert.match(answerOfSweep(new Points(most)).sentence, /^of `mode`, `y` is 2 times better than `x` on average/);
  const even = two.map((p) => ({ ...p, metrics: [p.values[0]] }));
  assert.equal(start(even), '`mode` makes no difference of 1 % on average');
  assert.match(start(two.slice(0, 2)), /^Best time/);
});

// Values that are mappings are named by what tells them apart.
test('long values are short in a sentence', () => {
  const modes = ['{t: a, q: {x: 1, y: 2}}', '{t: a, q: {x: 1, y: 2}, trim: on}', '{t: b, q: {x: 1, y: 2}}'];
  const points = modes.flatMap((mode, m) => [1, 2].map((size, i) => point(2 * m + i, size, mode, [4, 1, 2][m])));
  assert.match(answerOfSweep(new Points(sweep(points))).sentence, /^of `mode`, `t: a, trim: on` is 4 times better than `t: a` on average/);
  assert.deepEqual([...shortNames(['{a: 1}', '{a: 1, b: [2, 3]}', 'none']).values()], ['{a: 1}', 'b: [2, 3]', 'none']);
  const other = ['{a: 1}', '{a: 1, b: 2}', 'b: 2'];
  assert.deepEqual([...shortNames(other).values()], other, 'two values have two names');
});

test('of equal points the one with the better choice is best', () => {
  const points = [[1, 'x', 5], [1, 'y', 5], [2, 'x', 9], [2, 'y', 7]].map(([size, mode, value], id) => point(id, size, mode, value));
  assert.match(answerOfSweep(new Points(sweep(points))).sentence, /best time: 5 s, at size `1KB`, mode `y`/);
});

// Better on average, and not where it counts most: the best point is said first.
test('a choice that the best point has not is said after it', () => {
  const points = [[1, 'x', 1], [1, 'y', 1.5], [2, 'x', 90], [2, 'y', 9]].map(([size, mode, value], id) => point(id, size, mode, value));
  assert.match(answerOfSweep(new Points(sweep(points))).sentence, /^Best time: 1 s, at size `1KB`, mode `x`; none other is within 5 % of it; of `mode`, `y` is 2.6 times better than `x` on average, .*; all 4 points finished$/);
});

// A run that is stuck is a result, but not one that counts; one that crashed is none.
test('points that did not finish are told from points that failed', () => {
  const points = [point(0, 1, 'x', 1), point(1, 2, 'x', 2, { counts: false, outcome: 'stuck' })];
  const { sentence, figures } = answerOfSweep(new Points(sweep(points)));
  assert.match(sentence, /; of 2 points 1 did not finish$/);
  assert.deepEqual(figures.at(-1), ['did not finish', '1 of 2']);
  points.push(point(2, 4, 'x', null, { counts: false, status: 'crash' }));
  assert.match(answerOfSweep(new Points(sweep(points))).sentence, /; of 3 points 1 did not finish, 1 failed$/);
});

test('what makes no difference is said, and the next objective answers', () => {
  const data = sweep([point(0, 1, 'x', 5), point(1, 2, 'x', 5.01), point(2, 4, 'x', 5)]);
  assert.equal(answerOfSweep(new Points(data)).sentence, '`time` is 5 s to 5.01 s at all points, within 1 %; all 3 points finished');
  assert.deepEqual(answerOfSweep(new Points(data)).figures[0], ['time', '5 s to 5.01 s']);
  const equal = sweep([point(0, 1, 'x', 5), point(1, 2, 'x', 5)]);
  assert.match(answerOfSweep(new Points(equal)).sentence, /^`time` is 5 s at all points, within 1 %/);
  data.objectives.push({ name: 'pauses', metric: 'pauses', goal: 'min' });
  data.metrics.push({ name: 'pauses', unit: '' });
  data.points.forEach((p, i) => p.metrics.push(10 * i));
  const { sentence, figures } = answerOfSweep(new Points(data));
  assert.match(sentence, /^`time` is 5 s to 5.01 s at all points, within 1 %; best pauses: 0, at size `1KB`/);
  assert.deepEqual(figures[0], ['best pauses', '0', 'best']);
});

test('the best point by one objective is said to be the worst by another', () => {
  const data = sweep([point(0, 1, 'x', 5), point(1, 2, 'x', 7), point(2, 4, 'x', 9)]);
  data.objectives.push({ name: 'drops', metric: 'drops', goal: 'min' });
  data.metrics.push({ name: 'drops', unit: '' });
  data.points.forEach((p, i) => p.metrics.push([30, 10, 20][i]));
  const sentence = () => answerOfSweep(new Points(data)).sentence;
  assert.match(sentence(), /^Best time: 5 s, at size `1KB`; none other is within 5 % of it; but it has the worst `drops` of all, 30, where the best point by that has 10; all 3/);
  data.objectives[1].goal = 'max';
  assert.doesNotMatch(sentence(), /worst/);
  data.objectives[1].goal = 'min';
  data.points.forEach((p, i) => { p.metrics[1] = [20, 10, 30][i]; });
  assert.doesNotMatch(sentence(), /worst/);
});

// Percentiles of runs that were cut off are not compared, so that nobody knows whether those points differ.
test('a sweep says which points and which objectives it cannot judge', () => {
  const cut = { cut_off: { 0: 'of 7 of 32 messages' } };
  const data = sweep([point(0, 1, 'x', 5), point(1, 2, 'x', 5), point(2, 4, 'x', 9, cut), point(3, 8, 'x', 9, cut)]);
  const answer = () => answerOfSweep(new Points(data));
  assert.equal(answer().sentence, '`time` is 5 s at the 2 of 4 points that can be compared, within 1 %; of 4 points 2 were cut off');
  assert.deepEqual(answer().tries.map((t) => t.why), ['2 points were cut off, and what takes longest is not in percentiles of those', 'none of the 2 points that can be compared changes `time`']);
  data.points[1].cut_off = cut.cut_off;
  assert.equal(answer().sentence, 'Best time: 5 s, at size `1KB`; no other point can be compared with it; of 4 points 3 were cut off');
  // Another objective that all points have answers instead.
  data.objectives.push({ name: 'drops', metric: 'drops', goal: 'min' });
  data.metrics.push({ name: 'drops', unit: '' });
  data.points.forEach((p) => p.metrics.push(7));
  assert.equal(answer().sentence, '`drops` is 7 at all points, within 1 %; `time` of one point alone can be judged; of 4 points 3 were cut off');
  assert.match(answer().tries[1].why, /^none of the 4 points that can be compared changes `drops`$/);
  data.points[0].cut_off = cut.cut_off;
  data.points[3].metrics[1] = 9;
  assert.match(answer().sentence, /^`time` of no point can be judged; best drops: 7, at size `1KB`; 2 others are within 5 %/);
  data.objectives.pop();
  assert.match(answer().sentence, /^No point has a result that counts; of 4 points 4 were cut off$/);
  assert.equal(answer().tries[0].text, 'a later end of the runs (`run.until`)');
});

const conditional = (points, more = {}) => { const data = sweep(points); data.parameters[0].condition = true; return { ...data, ...more }; };

test('what is sent is a condition, and no choice: the best choice is said for each', () => {
  const of = (times) => answerOfSweep(new Points(conditional(times.flatMap(([x, y], i) => [point(2 * i, 2 ** i, 'x', x), point(2 * i + 1, 2 ** i, 'y', y)]))));
  const { sentence, figures, tries } = of([[1, 2], [4, 9], [7, 8]]);
  assert.match(sentence, /^best time at each `size`: mode `x`, 1 s at size `1KB` to 7 s at size `4KB`; of `mode`, `x` is .* all 6 points finished$/);
  assert.deepEqual(figures.slice(0, 2), [['best at most of them', 'mode x', 'best'], ['best at', '3 of 3']]);
  assert.ok(tries.every((t) => !t.text.startsWith('values of') && t.layer !== 'the best point'));
  assert.match(of([[1, 2], [9, 4], [7, 8]]).sentence, /^best time at each `size`: mode `x` at size `1KB` \(1 s\), mode `y` at size `2KB` \(4 s\), mode `x` at size `4KB` \(7 s\); /);
  assert.match(of([[1, 2], [9, 4], [7, 8], [7, 8], [7, 8]]).sentence, /^best time at each `size`: mode `x` at 4 of 5, mode `y` at 1 of 5; /);
  // What is within 1 % is as good.
  assert.match(of([[1, 2], [4.03, 4], [7, 8]]).sentence, /^best time at each `size`: mode `x`, 1 s/);
  assert.match(of([[1, 1], [4.03, 4], [7, 7]]).sentence, /^best time at each `size`: mode `x` as well as mode `y`, 1 s/);
});

test('a size with nothing to compare is said, and what the best costs', () => {
  const data = conditional([point(0, 1, 'x', 1), point(1, 1, 'y', 2), point(2, 2, 'x', 5), point(3, 4, 'x', 9), point(4, 4, 'y', 8)]);
  data.objectives.push({ name: 'drops', metric: 'drops', goal: 'min' });
  data.metrics.push({ name: 'drops', unit: '' });
  data.points.forEach((p, i) => p.metrics.push([30, 10, 20, 20, 10][i]));
  assert.match(answerOfSweep(new Points(data)).sentence, /^best time at each `size`: mode `x` at size `1KB` \(1 s\), mode `y` at size `4KB` \(8 s\); but the best has the worst `drops` at 1 of 2; at 1 of 3 there is nothing to compare; /);
});

test('where nothing but conditions differ, none of them is best', () => {
  const data = conditional([point(0, 1, 'x', 2), point(1, 2, 'x', 1), point(2, 4, 'x', 9)]);
  const { sentence, figures } = answerOfSweep(new Points(data));
  assert.equal(sentence, '`time` goes from 1 s at size `2KB` to 9 s at size `4KB`; all 3 points finished');
  assert.deepEqual(figures.slice(0, 2), [['least time', '1 s'], ['greatest time', '9 s']]);
  // A choice that changes with the size makes a choice of both.
  data.points.forEach((p) => { p.texts[1] = p.values[1] = `m${p.id}`; });
  assert.match(answerOfSweep(new Points(data)).sentence, /^Best time: 1 s/);
});

test('a choice that is better on average is said to be the worst in another objective', () => {
  const data = sweep([[1, 'x', 1], [1, 'y', 2], [2, 'x', 3], [2, 'y', 9]].map(([size, mode, value], id) => point(id, size, mode, value)));
  data.objectives.push({ name: 'drops', metric: 'drops', goal: 'min' });
  data.metrics.push({ name: 'drops', unit: '' });
  data.points.forEach((p, i) => p.metrics.push([20, 0, 30, 40][i]));
  assert.match(answerOfSweep(new Points(data)).sentence, /^of `mode`, `x` is 2.4 times .* settings; but `x` has the worst `drops` on average, 25, where the best has 20; best time/);
  data.points[0].metrics[1] = 5;
  assert.doesNotMatch(answerOfSweep(new Points(data)).sentence, /worst/);
});

test('points of one seed are not said to differ by more than seeds change', () => {
  const one = sweep([5, 5.1, 9].map((value, i) => point(i, 2 ** i, 'x', value)));
  const { sentence, tries } = answerOfSweep(new Points(one));
  assert.match(sentence, /; 1 other is within 5 % of it, by one seed: what others change is not known; all 3/);
  assert.ok(tries.some((t) => t.text === 'several seeds (`seeds: 5`)'));
  const points = [[5, 5.1], [50, 50.1]].flatMap((values, i) => values.map((v, s) => ({ ...point(2 * i + s, 2 ** i, 'x', v), configuration: i })));
  const several = answerOfSweep(new Points({ ...sweep(points), student: { 2: 12.7 } }));
  assert.doesNotMatch(several.sentence + JSON.stringify(several.tries), /seed/);
});

test('the tail of an open loop beside a job that is slowed down is said', () => {
  const of = (p99) => answerOfRun(run([job('checkpoint', 5, 2), job('rpc', 2, null, { slowdown: { p99 } })], [blame('checkpoint', [['queueing', 'rpc', 4], ['serialisation', 'x', 1]])])).sentence;
  assert.match(of(81.5), /^`checkpoint` took 2\.5 times .*; 1 in 100 messages of `rpc` took 82 times as long as alone or longer$/);
  assert.doesNotMatch(of(1.5), /1 in 100/);
});

test('what differs less than seeds change is the same', () => {
  const points = [[5, 6], [5.2, 6.1]].flatMap((values, i) => values.map((v, s) => ({ ...point(2 * i + s, 2 ** i, 'x', v), configuration: i })));
  const data = { ...sweep(points), student: { 2: 12.7 } };
  assert.match(answerOfSweep(new Points(data)).sentence, /^`time` is 5.5 s to 5.65 s at all points, within what seeds change \(95 %\)/);
  const apart = { ...sweep(points.map((p) => ({ ...p, metrics: [p.configuration ? 50 + p.metrics[0] / 100 : 5 + p.metrics[0] / 100] }))), student: { 2: 12.7 } };
  assert.match(answerOfSweep(new Points(apart)).sentence, /^Best time/);
});

test('nothing is tried beyond a value that a choice brings with it', () => {
  const points = [[4, 'a', 9], [1, 'b', 2], [4, 'c', 8], [8, 'd', 1]].map(([size, mode, value], id) => point(id, size, mode, value));
  const { tries } = answerOfSweep(new Points(sweep(points)));
  assert.ok(tries.every((t) => !t.text.startsWith('values of')), tries.map((t) => t.text).join());
});

test('a bisection says what it found', () => {
  const data = sweep([point(0, 1, '3m', 0), point(1, 2, '9m', 0)]);
  const found = [['3m', 1], ['9m', 2], ['99m', null]].map(([mode, number]) => ({ texts: ['?', mode], holds_at: number && `${number}KB`, number, has_failures: false }));
  data.bisection = { parameter: 0, condition: 'drops == 0', found };
  const { sentence, figures } = answerOfSweep(new Points(data));
  assert.equal(sentence, 'The smallest `size` with `drops == 0`: `1KB` at mode `3m` to `2KB` at mode `9m`; 1 of 3 searches found none; all 2 points finished');
  assert.deepEqual(figures, [['least', '1KB'], ['greatest', '2KB'], ['searches that found it', '2 of 3']]);
  data.bisection.found = found.map((one) => ({ ...one, number: 1, holds_at: '1KB' }));
  assert.match(answerOfSweep(new Points(data)).sentence, /^The smallest `size` with `drops == 0`: `1KB` at all 3 other settings; /);
  data.bisection.found = found.slice(2);
  assert.match(answerOfSweep(new Points(data)).sentence, /^No `size` was found with `drops == 0`/);
});

test('of many keys that differ the first are named, and how many more there are', () => {
  const of = (label, seconds, scenario) => ({ ...run([job('j', seconds, 1)]), label, scenario });
  const text = (a, b) => answerOfRuns([of('a', 1, a), of('b', 2, b)]).sentence.split('; ').at(-1);
  assert.equal(text('a: 1\nb: 2\nc: 3\nd: 4\ne: 5', 'a: 2\nb: 3\nc: 4\nd: 5\ne: 6'), '`a`, `b`, `c` and 2 more keys differ');
  assert.equal(text('a: 1\nb: 2\nc: 3', 'a: 2\nb: 3\nc: 4'), 'only `a`, `b` and `c` differ');
  // Elements of one list are one key.
  const list = (rate) => `x: ${rate}\nlinks:\n${[0, 1, 2, 3].map((i) => `  - from: h${i}\n    rate: ${rate}`).join('\n')}`;
  assert.equal(text(list('1Gbps'), list('2Gbps')), 'only `x` and `links[].rate` in 4 places differ');
  // What is recorded changes nothing.
  assert.doesNotMatch(text('observe:\n  blame: true\nb: 2', 'observe:\n  blame: false\nb: 2'), /observe/);
});

test('a job that one run does without is called by its name', () => {
  const of = (label, seconds, skip) => ({ ...run([job('j', seconds, 1)]), label, scenario: `jobs:\n  - name: j\n  - name: save\n    skip: ${skip}` });
  const { sentence, tries } = answerOfRuns([of('both', 2, false), of('alone', 1, true)]);
  assert.match(sentence, /; only `both` has job `save`$/);
  assert.ok(tries.every(({ layer }) => layer !== 'what differs'), 'to do without a job is no advice');
});

// What is within a tenth of an empty network is healthy, what is beyond is not.
test('a job is sick from a tenth more than its zero-load time on', () => {
  const of = (ratio) => answerOfRun(run([job('a', ratio, 1)])).sentence;
  assert.match(of(1.1), /^`a` took what an empty network would/);
  assert.match(of(1.12), /^`a` took 1\.1\d* times its zero-load time$/);
});

test('a slow link of more than a quarter is named though another cause takes more', () => {
  const slow = blame('ring', [['own packets', 'ring', 0.6, 'a->h1'], ['serialisation', 'x', 0.4]]);
  const of = (seconds) => answerOfRun(run([job('ring', 1.4, 1)], [{ ...slow, slow_links: [{ port: 'b->h5', rate_bps: 1e11, usual_rate_bps: 4e11, seconds }] }])).sentence;
  assert.match(of('0.3'), /30 % of it passes at slow links or waits for them/);
  assert.match(of('0.2'), /60 % of it is queued behind its own packets/);
});

test('advice for several jobs adds their times up, and gives three reasons', () => {
  const names = ['a', 'b', 'c', 'd'];
  const jobs = names.map((name) => job(name, 2, 1));
  const blamed = names.map((name) => blame(name, [['own packets', name, 0.3], ['compute', 'x', 0.4]]));
  const [first, second] = answerOfRun(run(jobs, [...blamed.slice(0, 3), { ...blamed[3], advice: blamed[3].advice.slice(0, 1).map((one) => ({ ...one, seconds: '0.35' })) }])).tries;
  assert.equal(first.text, 'fewer that meet', 'thrice 0.3 and 0.35 are more than thrice 0.4, none of them alone');
  assert.equal(first.why, 'own packets: 43 % of a, own packets: 43 % of b, own packets: 43 % of c and 1 more');
  assert.equal(second.why, 'compute: 57 % of a, compute: 57 % of b, compute: 57 % of c');
});

test('other jobs that are slowed down are counted without the first', () => {
  assert.match(answerOfRun(run([job('a', 3, 1), job('b', 2, 1)])).sentence, /^`a` took 3 times .*; 1 other job is slowed down, too$/);
  assert.match(answerOfRun(run([job('a', 3, 1), job('b', 2, 1), job('c', 2, 1), job('d', 1, 1)])).sentence, /; 2 other jobs are slowed down, too$/);
});

test('what can be changed alike stands by the time that it takes', () => {
  const { tries } = answerOfRun(run([job('a', 2, 1)], [blame('a', [['serialisation', 'x', 0.2], ['own packets', 'a', 0.3], ['compute', 'y', 0.5]])]));
  assert.deepEqual(tries.map((one) => one.text), ['a faster GPU', 'fewer that meet', 'fewer bytes']);
});

test('a single frame that a link sent again is said', () => {
  assert.match(answerOfRun(run([job('ring', 1.02, 1)], undefined, { network: { frames_replayed: 1 } })).sentence, /; but links sent 1 frame again$/);
});

test('times are the same within a hundredth', () => {
  const of = (seconds) => answerOfRuns(['x', 'y'].map((label, i) => ({ ...run([job('a', i ? seconds : 1, 1)]), label }))).sentence;
  assert.doesNotMatch(of(1.05), /same/);
  assert.match(of(1.05), /`x`/);
  assert.notEqual(of(1.005), of(1.05));
  assert.doesNotMatch(of(1.005), /times as fast/);
  assert.match(of(1.05), /times as fast/);
});
