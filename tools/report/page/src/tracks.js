// Tracks of a timeline as arrays, and what is looked up in them. No drawing.

/** Of names with numbers in them, `rank 9` before `rank 10`. */
export const inNumbers = new Intl.Collator('en', { numeric: true }).compare;

/** From the flat lists of the data (begin less the one before, length, name, count) to arrays. Nanoseconds. */
export function unpack(timeline) {
  const tracks = timeline.tracks.map((track, index) => {
    const count = track.slices.length / 4;
    const one = {
      index,
      process: track.process,
      name: track.name,
      isCritical: track.name === 'critical path',
      begins: new Float64Array(count),
      ends: new Float64Array(count),
      names: new Uint32Array(count),
      counts: new Uint32Array(count),
      longest: 0,
    };
    let at = 0;
    for (let i = 0; i < count; ++i) {
      at += track.slices[4 * i];
      one.begins[i] = at;
      one.ends[i] = at + track.slices[4 * i + 1];
      one.names[i] = track.slices[4 * i + 2];
      one.counts[i] = track.slices[4 * i + 3];
      one.longest = Math.max(one.longest, track.slices[4 * i + 1]);
    }
    return one;
  });
  return tracks.sort(
    (a, b) => b.isCritical - a.isCritical || inNumbers(a.process, b.process) || inNumbers(a.name, b.name),
  );
}

/** The first slice that begins at `time` or later. */
export function firstFrom(track, time) {
  let low = 0;
  let high = track.begins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.begins[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const extent = (tracks) =>
  tracks.reduce(
    ([from, to], t) => [
      Math.min(from, t.begins.length ? t.begins[0] : from),
      t.ends.reduce((most, end) => Math.max(most, end), to),
    ],
    [Infinity, 0],
  );

/** What stands for slices that would not be seen at all is at most this share of a row. */
const MOST_SHOWN_ANYWAY = 1 / 200;

/**
 * Which slice each of equal parts of the time from `from` to `to` shows: its number and one in `cells`, or 0; `bar`
 * parts are a pixel. A part shows what its middle lies in, of slices in each other the innermost: so slices have as
 * many parts as they are long, less or more than one part, whatever lies beside them. A slice that is alone in its
 * pixel and has no part is shown on one; of many such slices a few are.
 */
export function fill(cells, track, from, to, bar) {
  cells.fill(0);
  const scale = cells.length / (to - from);
  const unseen = [];
  for (let i = firstFrom(track, from - track.longest); i < track.begins.length && track.begins[i] < to; ++i) {
    const [begin, end] = [(track.begins[i] - from) * scale, (track.ends[i] - from) * scale];
    const [first, last] = [Math.max(0, Math.round(begin)), Math.max(0, Math.min(cells.length, Math.round(end)))];
    if (first < last) cells.fill(i + 1, first, last);
    else if (begin >= 0) unseen.push([Math.min(cells.length - 1, Math.floor(begin)), i]);
  }
  showAlone(cells, unseen, bar);
}

function showAlone(cells, unseen, bar) {
  const alone = [];
  let before = -1;
  for (const [cell, i] of unseen) {
    const pixel = Math.floor(cell / bar);
    if (pixel === before) continue;
    before = pixel;
    if (cells.subarray(pixel * bar, (pixel + 1) * bar).some(Boolean)) continue;
    alone.push([cell, i]);
  }
  const every = Math.ceil(alone.length / Math.max(1, cells.length * MOST_SHOWN_ANYWAY));
  for (let k = 0; k < alone.length; k += every) cells[alone[k][0]] = alone[k][1] + 1;
}

/** Shows wanted slices that are shorter than `bar` parts, a pixel, on the whole of one. */
export function lift(cells, bar, track, from, to, isWanted) {
  const scale = cells.length / (to - from);
  for (let i = firstFrom(track, from); i < track.begins.length && track.begins[i] < to; ++i) {
    if (!isWanted(i) || (track.ends[i] - track.begins[i]) * scale >= bar) continue;
    const pixel = Math.floor(((track.begins[i] - from) * scale) / bar);
    cells.fill(i + 1, pixel * bar, (pixel + 1) * bar);
  }
}

/** The column of pixels that shows a slice, at most `reach` beside the wanted one; null: there is none. */
export function nearestColumn(cells, bar, wanted, reach) {
  const count = Math.floor(cells.length / bar);
  const at = Math.max(0, Math.min(count - 1, wanted));
  for (let by = 0; by <= reach; ++by) {
    for (const column of [at - by, at + by]) {
      if (column < 0 || column >= count) continue;
      if (cells.subarray(column * bar, (column + 1) * bar).some(Boolean)) return column;
    }
  }
  return null;
}

/** Slices that lie between two times, at least in part, and are no longer than `longest`. */
export function shortIn(track, from, to, longest) {
  const found = [];
  for (let i = firstFrom(track, from - longest); i < track.begins.length && track.begins[i] < to; ++i)
    if (track.ends[i] > from && track.ends[i] - track.begins[i] <= longest) found.push(i);
  return found;
}

/** What is seen of slices, piece by piece: first part, number of parts, slice. */
export function pieces(cells, act) {
  for (let at = 0; at < cells.length;) {
    const begin = at;
    while (at < cells.length && cells[at] === cells[begin]) ++at;
    if (cells[begin]) act(begin, at - begin, cells[begin] - 1);
  }
}

/** Slices whose names hold the words, by begin: [track, slice] at most `most`, and how many there are. */
export function search(tracks, names, words, most = 2000) {
  const wanted = words.toLowerCase();
  const hit = names.map((name) => name.toLowerCase().includes(wanted));
  const found = [];
  let count = 0;
  for (const track of tracks) {
    for (let i = 0; i < track.names.length; ++i) {
      if (!hit[track.names[i]]) continue;
      ++count;
      if (found.length < most) found.push([track, i]);
    }
  }
  found.sort((a, b) => a[0].begins[a[1]] - b[0].begins[b[1]]);
  return { found, count, hit };
}
