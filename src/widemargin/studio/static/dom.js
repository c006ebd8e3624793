// Elements are made one by one: text never becomes markup.

export function make(tag, facts = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "color") element.style.background = value;
    else if (name === "width%") element.style.width = `${value}%`;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...inside.filter((part) => part !== null && part !== undefined));
  return element;
}

export function draw(tag, facts = {}, ...inside) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(facts)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

export const find = (id) => document.getElementById(id);

// New content; what had the keyboard focus at this place has it again.
export function replace(place, ...parts) {
  const reach = () => [...place.querySelectorAll("a[href], button, input, select, summary, [tabindex]")];
  const before = document.activeElement;
  const i = reach().indexOf(before);
  place.replaceChildren(...parts);
  const now = i < 0 ? null : reach()[i];
  if (now?.tagName === before.tagName && now.id === before.id) now.focus({ preventScroll: true });
}

// Characters that turn the order of others around become visible: a file name cannot pretend.
const TURNS = { "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI" };
export function visible(text) {
  const shown = text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (character) => `[${TURNS[character]}]`);
  return text && !/[^\s\p{C}\u115f\u1160\u2800\u3164\uffa0]/u.test(shown) ? "(no visible text)" : shown;
}
export const whole = (number) => number.toLocaleString("en");
export const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
// A probability that is not exactly 0 or 1 is not rounded to it.
export const probable = (share) => (share > 0.99 ? "> 99 %" : share < 0.01 ? "< 1 %" : percent(share));

export const isTouch = matchMedia("(hover: none) and (pointer: coarse)").matches; // there are no keys

let hiding = 0;
export function hush() { find("toast").hidden = true; }
export function toast(text) {
  const element = find("toast");
  element.textContent = text;
  element.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { element.hidden = true; }, 5000);
}
