import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { causesWithWords } from '../src/answer_run.js';
import { titleOf } from '../src/jobs.js';

// Of an all-gather on an NVL72 both sections had wire time, and not the same: messages at zero load are no packets.
test('parts of the path of a collective are not called as causes of blame are', () => {
  const source = readFileSync(new URL('../../../../scenarios/results/tables/collectives_table.hpp', import.meta.url), 'utf8');
  const path = source.slice(source.indexOf('struct CriticalPath'), source.indexOf('std::uint32_t messages'));
  const parts = [...path.matchAll(/Picoseconds (\w+);/g)].map(([, name]) => name);
  assert.ok(parts.length >= 9);
  const titles = parts.map((name) => titleOf(`critical_path_seconds.${name}`));
  assert.equal(new Set(titles).size, parts.length);
  for (const [i, title] of titles.entries()) {
    assert.match(title, /^path: /);
    assert.ok(!causesWithWords().includes(title.slice(6)), title);
    assert.notEqual(title, `path: ${parts[i]}`, 'it has words of its own');
  }
  assert.equal(titleOf('critical_path_seconds.wire'), 'path: messages at zero load');
  assert.equal(titleOf('since_previous_seconds'), 'since previous');
  assert.equal(titleOf('seconds'), 'time');
});
