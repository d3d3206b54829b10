// The answer that a page opens with: a sentence, at most four large figures, and what to try next.

import { el } from './dom.js';

const MOST_FIGURES = 4;
const MOST_TRIES = 5;

/** Names stand in `backquotes`; they are text, whatever they hold. */
export function said(text) {
  return text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part));
}

function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return el('p', { class: 'answer' }, said(/[.!?]$/.test(whole) ? whole : `${whole}.`));
}

export function answerView({ sentence: text, figures, tries }) {
  return [sentence(text),
    figures.length ? el('dl', { class: 'figures' }, figures.slice(0, MOST_FIGURES).map(([name, value, kind]) => el('div', { class: kind ?? '' }, el('dt', {}, name), el('dd', {}, value)))) : null,
    tries.length ? el('div', { class: 'tries' }, el('h3', {}, 'What to try next'), el('ol', {}, tries.slice(0, MOST_TRIES).map((t) =>
      el('li', {}, said(t.text), el('span', { class: 'faint' }, ` – ${t.layer}; ${t.why}`))))) : null];
}
