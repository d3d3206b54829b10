import { test } from 'node:test';
import assert from 'node:assert/strict';
import { keysOf, differences } from '../src/scenario.js';

const TEXT = `# Resolved by weft
weft: 1                    # default: the only version
name: "a: b"
racks:
  count: 4
  server:
    gpus: 0                # default: a plain server
jobs:
  - name: one
    size: 1MiB
    stragglers:
      - ranks: 5
        late: 300us
  - name: two
    sizes: [1, 2]
list:
  - a
  - b
`;

test('keys have their paths, values, and where defaults come from', () => {
  const keys = Object.fromEntries(keysOf(TEXT).map((k) => [k.path, k]));
  assert.equal(keys.weft.source, 'default: the only version');
  assert.equal(keys.name.value, '"a: b"');
  assert.equal(keys['racks.count'].value, '4');
  assert.equal(keys['racks.server.gpus'].source, 'default: a plain server');
  assert.equal(keys['jobs[0].name'].value, 'one');
  assert.equal(keys['jobs[0].size'].value, '1MiB');
  assert.equal(keys['jobs[0].stragglers[0].ranks'].value, '5');
  assert.equal(keys['jobs[0].stragglers[0].late'].value, '300us');
  assert.equal(keys['jobs[1].name'].value, 'two');
  assert.equal(keys['jobs[1].sizes'].value, '[1, 2]');
  assert.equal(keys['list[1]'].value, 'b');
});

test('what differs between texts is named, and what only one has', () => {
  const other = TEXT.replace('count: 4', 'count: 8').replace('  - b\n', '');
  assert.deepEqual(differences([TEXT, other]), [
    { path: 'racks.count', values: ['4', '8'] },
    { path: 'list[1]', values: ['b', undefined] },
  ]);
  assert.deepEqual(differences([TEXT, TEXT]), []);
});
