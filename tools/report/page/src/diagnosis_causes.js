// What is to blame, what is undecided, what to measure next, and what the verdict rests on.

import { el, section } from './dom.js';
import { said } from './answer.js';
import { whereabouts } from './answer_diagnosis.js';
import { table } from './table.js';
import * as format from './format.js';

/** Places that a table names, before it counts the others. */
const MOST_PLACES = 6;

const placesOf = (place) => place.slice(0, MOST_PLACES).join(', ') + (place.length > MOST_PLACES ? ` and ${place.length - MOST_PLACES} more` : '');
const placeText = (c) => placesOf(c.place.map((name, i) => name + whereabouts(c, i)));
const valueText = (c) => (c.value === null ? '–' : c.kind === 'straggler' ? format.time(c.value * 1e-6) : format.roughly(c.value));
const packetsText = (c) => (c.packets_off === null ? 'not simulated: by a closed form alone' : `off by ${format.roughly(Math.expm1(c.packets_off))} at worst`);
const cablesOf = (c) => c.cables.map((text, i) => (text && c.place.length > 1 ? `${c.place[i]}: ${text}` : text)).filter(Boolean);
const lines = (texts) => el('ul', {}, texts.map((text) => el('li', {}, said(text))));

/** A culprit with all that is known of it. */
function card(c) {
  const facts = [
    ['place', c.place.length ? placeText(c) : 'the whole cluster'],
    ...cablesOf(c).map((text) => ['cable', text]),
    [c.kind === 'straggler' ? 'how much longer' : 'what is left of its rate', c.value === null ? null : valueText(c)],
    ['explains of what is slower', c.explained > 0 ? format.roughly(c.explained) : null],
    ['confidence', format.roughly(c.confidence)],
    ['packets with it', c.explained > 0 ? packetsText(c) : null],
  ];
  return el('div', { class: 'cause' },
    el('h3', {}, c.place.length ? `${c.kind}: ${placesOf(c.place)}` : c.kind),
    el('p', {}, c.why),
    el('dl', { class: 'facts' }, facts.filter(([, value]) => value !== null).map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value)))),
    c.evidence.length ? [el('h4', {}, 'Evidence'), el('div', { class: 'evidence' }, lines(c.evidence))] : null);
}

export function culpritPart({ culprits: all }) {
  return all.length ? section('culprit', all.length > 1 ? 'Culprits' : 'Culprit', all.map(card)) : null;
}

/** What is possible, and which runs say what is not. */
export function undecidedPart({ undecided: all, cleared, culprits: found, nothing_explains_it: isNothing }) {
  if (!all.length && !cleared.length && !isNothing) return null;
  const list = all.length ? table([
    { title: 'kind', value: (c) => c.kind, isText: true },
    { title: 'place', value: (c) => c.place.join(', '), show: placeText, isText: true },
    { title: 'what is left', value: (c) => c.value, show: valueText },
    { title: 'explains', value: (c) => c.explained, show: (c) => format.roughly(c.explained) },
    { title: 'confidence', value: (c) => c.confidence, show: (c) => format.roughly(c.confidence) },
    { title: 'packets with it off by', value: (c) => c.packets_off, show: (c) => (c.packets_off === null ? 'closed form' : format.roughly(Math.expm1(c.packets_off))) },
    { title: 'what makes it so', value: (c) => c.why, isText: true },
    { title: 'cable', value: (c) => cablesOf(c).join('; '), isText: true },
    { title: 'evidence', value: (c) => c.evidence.join('; '), show: (c) => (c.evidence.length ? el('div', { class: 'evidence' }, lines(c.evidence)) : ''), isText: true },
  ], all, { caption: all.length > 1 ? 'These measurements cannot tell these apart' : 'A suspect' }) : null;
  return section('causes', all.length || isNothing ? 'What is undecided' : 'What is not to blame',
    isNothing && !all.length && !found.length ? el('p', {}, 'No single change in the catalogue explains what is slower: it can be two at once, or something else.') : null,
    list,
    cleared.length ? [el('h3', {}, 'Cleared by runs that are as expected'), el('div', { class: 'cleared' }, lines(cleared.map((c) => c.text)))] : null);
}

function copied(button, pre) {
  const done = (text) => { button.textContent = text; };
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    const selection = document.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    done('Selected');
  };
  const { navigator } = window;
  if (navigator.clipboard) navigator.clipboard.writeText(pre.textContent).then(() => done('Copied'), select);
  else select();
}

function command({ on, command: text }) {
  const pre = el('pre', { class: 'command' }, text);
  const button = el('button', { type: 'button', class: 'more', 'aria-live': 'polite', title: `copy ${text}`, onclick: () => copied(button, pre) }, 'Copy');
  return el('div', { class: 'copyable' }, el('span', { class: 'faint' }, on ? `on ${on}` : ''), pre, button);
}

/** The measurement by which most of what is possible would differ, with its commands. */
export function nextPart({ next_measurement: text, next_commands: commands }) {
  if (!text) return null;
  const [first] = text.split('\n');
  const sentence = first.charAt(0).toUpperCase() + first.slice(1).replace(/:$/, '');
  return section('next', 'What to measure next', el('p', {}, said(sentence.endsWith('.') ? sentence : `${sentence}.`)), commands.map(command));
}

const titled = (title, texts, more) => (texts.length ? [el('h3', {}, title), more ? el('div', { class: 'warnings' }, lines(texts)) : lines(texts)] : []);

/** What the verdict does not count or rests on, and what the files and the runs warn of. */
export function notesPart({ notes: all, warnings, remarks }) {
  if (!all.length && !warnings.length && !remarks.length) return null;
  return section('notes', 'Notes', all.length ? lines(all) : null, titled('Warnings', warnings, true), titled('What was assumed or left out', remarks, false));
}
