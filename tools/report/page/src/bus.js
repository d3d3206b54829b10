// Parts of the page that lead to each other: one says what is looked at, the others show it.

const listeners = new Map();

export function on(topic, act) {
  if (!listeners.has(topic)) listeners.set(topic, []);
  listeners.get(topic).push(act);
}

/**
 * Topics: `port` and `host` {run, name}, `way` {run, message, text}, `series` {run, name}, `rank` {run, process},
 * `run` {run}.
 */
export function say(topic, about) {
  for (const act of listeners.get(topic) ?? []) act(about);
}

export const hears = (topic) => listeners.has(topic);

/** Moves eyes and keyboard to a part of the page. */
export function goTo(id) {
  const heading = document.getElementById(`${id}-title`);
  if (!heading) return;
  heading.scrollIntoView({ block: 'start' });
  heading.focus({ preventScroll: true });
}
