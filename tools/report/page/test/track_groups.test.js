import { test } from 'node:test';
import assert from 'node:assert/strict';
import { unpack } from '../src/tracks.js';
import { culpritsOf, groupsOf, jobCulpritsOf, ownerOf, pathTo, rowsOf, sharesOf, tellingOf } from '../src/track_groups.js';
import { arrowsOf, hopOf, hopsToShow, stemOf, totalsOf, unpackArrows, unpackHops } from '../src/track_totals.js';

const NAMES = ['forward 0', 'all-reduce 1MiB', 'receive from 3', 'receive from 4', 'iteration 0'];
/** Tracks of four ranks on two servers, and the critical path of their job. */
function sample() {
  const of = (rank) =>
    [
      ['iterations', [0, 100, 4, 1]],
      ['compute', [0, 60, 0, 1]],
      ['tensor', [60, 20, 1, 1]],
      ['tensor: steps', [60, 10, 2, 1, 10, 10, 3, 1]],
      ['messages', [60, 30, 1, 1]],
    ].map(([name, slices]) => ({ process: `gpt rank ${rank} (gpu${rank})`, name, slices }));
  const tracks = [...[0, 1, 2, 10].flatMap(of), { process: 'job gpt', name: 'critical path', slices: [0, 100, 0, 1] }];
  return unpack({ names: NAMES, tracks });
}
const domains = [
  ['gpu0', 'gpu1'],
  ['gpu2', 'gpu10'],
];
const titles = (rows) => rows.map(({ node, depth }) => `${'. '.repeat(depth)}${node.title}`);

test('the name of a process says job, rank and host', () => {
  assert.deepEqual(ownerOf('my rank rank 3 (gpu3)'), { job: 'my rank', rank: 3, host: 'gpu3' });
  assert.deepEqual(ownerOf('job gpt'), { job: 'gpt', rank: null, host: '' });
  assert.equal(ownerOf('j rank 0').rank, 0);
});

test('tracks are grouped by job, host, rank and stream, and closed groups hide what is in them', () => {
  const groups = groupsOf(sample(), { domains });
  assert.deepEqual(titles(rowsOf(groups, new Set())), ['gpt']);
  assert.deepEqual(titles(rowsOf(groups, new Set(['job gpt']))), [
    'gpt',
    '. critical path',
    '. hosts gpu0 to gpu1',
    '. hosts gpu2 to gpu10',
  ]);
  const open = new Set(['job gpt', 'gpt host gpu2', 'gpt rank 10']);
  assert.deepEqual(titles(rowsOf(groups, open)).slice(3), [
    '. hosts gpu2 to gpu10',
    '. . rank 2 (gpu2)',
    '. . rank 10 (gpu10)',
    '. . . iterations',
    '. . . compute',
    '. . . tensor',
    '. . . tensor: steps',
    '. . . messages',
  ]);
  assert.deepEqual(titles(rowsOf(groupsOf(sample()), new Set(['job gpt']))).slice(2), [
    '. rank 0 (gpu0)',
    '. rank 1 (gpu1)',
    '. rank 2 (gpu2)',
    '. rank 10 (gpu10)',
  ]);
});

test('culprits stand first, and their host does', () => {
  const blame = [
    {
      job: 'gpt',
      seconds: 1,
      causes: ['straggler', 'compute', 'congestion control', 'schedule', 'launch and protocol'],
      rows: [
        ['straggler', 'rank', 'rank 10 (gpu10)', '', 0.3],
        ['compute', 'rank', 'rank 1 (gpu1)', '', 0.6],
        ['straggler', 'rank', 'rank 2 (gpu2)', '', 0.001],
        // Ranks that send, launch, or wait by plan are not late.
        ['congestion control', 'queue pair', 'rank 0 -> rank 1 (gpu0 -> gpu1)', '', 0.5],
        ['schedule', 'rank', 'rank 1 (gpu1)', '', 0.2],
        ['launch and protocol', 'rank', 'rank 1 (gpu1)', '', 0.2],
      ],
    },
  ];
  assert.deepEqual([...culpritsOf(blame)], [['gpt 10', 0.3]]);
  const groups = groupsOf(sample(), { domains, blame });
  assert.deepEqual(titles(rowsOf(groups, new Set(['job gpt', 'gpt host gpu2']))).slice(2), [
    '. hosts gpu2 to gpu10',
    '. . rank 10 (gpu10)',
    '. . rank 2 (gpu2)',
    '. hosts gpu0 to gpu1',
  ]);
});

test('culprits stand first where ranks have no group of hosts', () => {
  const blame = [{ job: 'gpt', seconds: 1, causes: ['straggler'], rows: [['straggler', 'rank', 'rank 2 (gpu2)', '', 0.3]] }];
  assert.deepEqual(titles(rowsOf(groupsOf(sample(), { blame }), new Set(['job gpt']))).slice(2, 4), ['. rank 2 (gpu2)', '. rank 0 (gpu0)']);
});

test('jobs stand by what they cost others, and by their late ranks', () => {
  const tracks = unpack({ names: NAMES, tracks: ['calm', 'victim', 'incast', 'bully', 'late'].map((job) => ({ process: `${job} rank 0 (h0)`, name: 'compute', slices: [0, 1, 0, 1] })) });
  const blame = [
    { job: 'victim', seconds: 1, causes: ['pause', 'queueing', 'own packets'], rows: [
      ['pause', 'port', 'leaf0->h15', 'x->y', 0.4],
      ['queueing', 'job', 'bully', 'a->b', 0.3],
      ['queueing', 'job', 'calm', 'a->b', 0.001],
      ['own packets', 'job', 'victim', 'a->b', 0.2],
    ] },
    { job: 'incast', seconds: 1, causes: ['own packets'], rows: [['own packets', 'job', 'incast', 'leaf0->h15', 0.9]] },
    { job: 'late', seconds: 1, causes: ['straggler'], rows: [['straggler', 'rank', 'rank 0 (h0)', '', 0.1]] },
  ];
  assert.deepEqual([...jobCulpritsOf(blame)], [['bully', 0.3], ['incast', 0.4]]);
  const groups = groupsOf(tracks, { blame });
  assert.deepEqual(groups.map((node) => node.title), ['incast', 'bully', 'late', 'calm', 'victim']);
  assert.deepEqual(groupsOf(tracks).map((node) => node.title), ['bully', 'calm', 'incast', 'late', 'victim'], 'without blame by name');
  // A pause of a NIC is no job's.
  assert.equal(jobCulpritsOf([{ ...blame[0], rows: [['pause', 'port', 'NIC of h0', 'x->y', 1]] }, blame[1]]).size, 0);
});

test('the way to a track is the groups around it', () => {
  const tracks = sample();
  const wanted = tracks.find((t) => t.process.includes('rank 10') && t.name === 'tensor');
  assert.deepEqual(pathTo(groupsOf(tracks, { domains }), wanted), ['job gpt', 'gpt host gpu2', 'gpt rank 10']);
});

test('a closed group shows which share of its ranks does what', () => {
  const tracks = sample();
  const telling = tellingOf(groupsOf(tracks, { domains })[0]);
  assert.deepEqual([...new Set(telling.map((t) => t.name))], ['compute', 'tensor']);
  const one = telling.filter((t) => t.process.includes('rank 0'));
  const shares = sharesOf(one, 4, 0, 100, 10, NAMES);
  assert.deepEqual([...shares.get('forward 0')], [0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0, 0, 0, 0]);
  assert.deepEqual(
    [...shares.get('all-reduce 1MiB')].map((v) => v > 0),
    [false, false, false, false, false, false, true, true, false, false],
  );
  assert.ok(
    Math.abs(sharesOf(one, 1, 55, 65, 1, NAMES).get('forward 0')[0] - 0.5) < 1e-6,
  );
});

test('totals of a range cut slices to it, and add up names that differ in numbers only', () => {
  const tracks = sample().filter((t) => t.name === 'tensor: steps' && t.process.includes('rank 1 '));
  assert.deepEqual(totalsOf(tracks, NAMES, 65, 75), [{ name: 'receive from', count: 2, time: 10, longest: 10, at: [tracks[0], 0] }]);
  const [uneven] = unpack({ names: NAMES, tracks: [{ process: 'p', name: 'steps', slices: [0, 5, 2, 1, 10, 9, 3, 1, 10, 8, 2, 1, 10, 16, 2, 4] }] });
  const [{ longest, at }] = totalsOf([uneven], NAMES, 0, 100);
  assert.deepEqual([longest, at[1]], [9, 1], 'of several short ones each counts for itself');
  assert.deepEqual(totalsOf(tracks, NAMES, 0, 60), []);
  assert.equal(stemOf('queueing\tother\ta->b'), 'queueing');
  assert.deepEqual(['to 3', '64KiB to 1'].map(stemOf), ['message', '64KiB to 1']);
});

test('arrows belong to slices that they begin in, and to ranks that they come to', () => {
  const tracks = sample();
  const from = tracks.find((t) => t.process.includes('rank 0') && t.name === 'messages');
  const arrows = unpackArrows({
    arrows: { to: ['gpt rank 1 (gpu1)'], flat: [from.index, 60, 0, 12, from.index, 5, 0, 90] },
  });
  assert.deepEqual(
    arrows.map((a) => [a.begin, a.end]),
    [
      [60, 72],
      [65, 155],
    ],
  );
  assert.equal(arrowsOf(arrows, from, 0).length, 2);
  const to = tracks.find((t) => t.process.includes('rank 1 ') && t.name === 'tensor');
  assert.deepEqual(
    arrowsOf(arrows, to, 0).map((a) => a.end),
    [72],
  );
});

const PATH = unpackHops({
  hops: { seen: 9, ranks: ['a', 'b', 'c'], flat: [4, 0, 1, 100, 50, 4, 1, 2, 60, 30, 4, 0, 1, 5, 80, 7, 2, 0, 0, 10] },
});

test('messages of critical paths come out of their flat list, and a piece is part of one', () => {
  assert.deepEqual(PATH[1], { track: 4, from: 'b', to: 'c', begin: 160, end: 190 });
  const track = { index: 4, begins: [120, 150, 170], ends: [150, 160, 190] };
  assert.equal(hopOf(PATH, track, 0), PATH[0]);
  assert.equal(hopOf(PATH, track, 1), null, 'between two messages');
  assert.equal(hopOf(PATH, track, 2), PATH[1]);
});

test('of messages that lie on each other the longest is drawn, and zooming in shows the others', () => {
  const rows = { a: 0, b: 1, c: 2 };
  const shown = (range, gap, most = 9) =>
    hopsToShow(PATH, { index: 4 }, range, { placeOf: (rank) => rows[rank] ?? null, gap, most });
  const far = shown([0, 1000], 70);
  assert.equal(far.count, 3);
  assert.deepEqual(
    far.shown.map((h) => [h.begin, h.places.join()]),
    [
      [165, '0,1'],
      [160, '1,2'],
    ],
  );
  assert.equal(shown([0, 1000], 10).shown.length, 3);
  assert.equal(shown([0, 1000], 10, 1).shown.length, 1);
  assert.deepEqual(
    shown([180, 200], 1).shown.map((h) => h.begin),
    [165, 160],
  );
  rows.c = null;
  assert.equal(shown([0, 1000], 10).shown.length, 2, 'to a rank without a row there is none');
});
