// Elements are made here and nowhere else. Whatever comes from results is text, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(2)) {
    if (child === undefined || child === null) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A part of the page with a heading that the list of contents leads to. */
export function section(id, title, ...children) {
  return el('section', { id, 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title`, tabindex: -1 }, title), ...children);
}

/** A button that acts as a link within the page. */
export function action(text, act, title) {
  return el('button', { type: 'button', class: 'link', title, onclick: act }, text);
}

/** A labelled choice; `act` gets the value. Options: [value, text]. */
export function choice(label, options, act, chosen) {
  const list = el('select', { onchange: (e) => act(e.target.value) },
    options.map(([value, text]) => el('option', { value, selected: value === chosen }, text)));
  return el('label', {}, label, ' ', list);
}

export function replace(node, ...children) {
  node.replaceChildren(...children.flat(2).filter((c) => c !== null && c !== undefined));
  return node;
}
