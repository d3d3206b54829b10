// resolved.yaml as flat keys. It has one shape: two blanks per level, lists of `- `, and comments that say
// where a default comes from. What is read here is shown and compared, never obeyed.

const COMMENT = /\s+# (default.*)$/;

/** Lines as {path, value, source}; `source` is empty for what the scenario says itself. */
export function keysOf(text) {
  const keys = [];
  const stack = []; // {indent, name, items}
  for (const line of text.split('\n')) {
    const found = /^(\s*)((?:- )*)(.*)$/.exec(line);
    if (!found[3] || found[3].startsWith('#')) continue;
    let indent = found[1].length;
    let rest = found[3];
    for (let dashes = found[2].length / 2; dashes > 0; --dashes) {
      while (stack.length && stack.at(-1).indent > indent) stack.pop();
      if (stack.at(-1)?.isItem && stack.at(-1).indent === indent) {
        stack.at(-1).index += 1;
      } else {
        stack.push({ indent, isItem: true, index: 0 });
      }
      indent += 2;
      while (stack.at(-1).indent >= indent) stack.pop();
    }
    const source = COMMENT.exec(rest)?.[1] ?? '';
    rest = rest.replace(COMMENT, '').trimEnd();
    while (stack.length && stack.at(-1).indent >= indent) stack.pop();
    const pair = /^("(?:[^"\\]|\\.)*"|[^:{["]+):(?:\s+(.*))?$/.exec(rest);
    const path = pathOf(stack);
    if (!pair) {
      keys.push({ path, value: rest, source });
      continue;
    }
    const name = pair[1].replace(/^"|"$/g, '');
    const full = path ? `${path}.${name}` : name;
    if (pair[2] === undefined || pair[2] === '') stack.push({ indent, name });
    else keys.push({ path: full, value: pair[2], source });
  }
  return keys;
}

function pathOf(stack) {
  let path = '';
  for (const part of stack) {
    if (part.isItem) path += `[${part.index}]`;
    else path += path ? `.${part.name}` : part.name;
  }
  return path;
}

/** Keys whose values are not the same in all texts: {path, values}, undefined where there is none. */
export function differences(texts) {
  const maps = texts.map((text) => new Map(keysOf(text).map((k) => [k.path, k.value])));
  const paths = new Set(maps.flatMap((map) => [...map.keys()]));
  return [...paths]
    .map((path) => ({ path, values: maps.map((map) => map.get(path)) }))
    .filter(({ values }) => values.some((value) => value !== values[0]));
}
