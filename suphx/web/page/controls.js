// What the pages of games have in common: navigation, keys, settings, names.
import { h, s, show } from "suphx/dom.js";

const THEMES = ["auto", "dark", "light"];

// The icons on buttons, as SVG paths.
const ICONS = {
  "round-before": "M4 4V20M20 4 8 12 20 20Z", "decision-before": "M12 4 2 12 12 20ZM22 4 12 12 22 20Z", "step-before": "M17 4 7 12 17 20Z",
  "step-after": "M7 4 17 12 7 20Z", "decision-after": "M2 4 12 12 2 20ZM12 4 22 12 12 20Z", "round-after": "M4 4 16 12 4 20ZM20 4V20",
  play: "M6 3 20 12 6 21Z", pause: "M7 4H9V20H7ZM15 4H17V20H15Z",
};

/** Names to show: missing and repeated names get the number of their seat. */
export function tellApart(names) {
  return names.map((name, seat) => {
    if (!name) return `Seat ${seat}`;
    return names.filter((other) => other === name).length > 1 ? `${seat} ${name}` : name;
  });
}

/** A button with an icon; `words` is its label. */
export function iconButton(id, words, action) {
  const button = h("button", { type: "button", id, onclick: action });
  setIcon(button, id, words);
  return button;
}

/** Give a button another icon and label; if it has them already it is left alone, since it may just be pressed. */
export function setIcon(button, icon, words) {
  if (button.title === words) return;
  button.title = words;
  button.setAttribute("aria-label", words);
  show(button, s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: ICONS[icon] })));
}

/** A select element with options {value: words}. */
export function selectOf(id, label, options, change) {
  return h("select", { id, "aria-label": label, onchange: (event) => change(event.target.value) },
    Object.entries(options).map(([value, words]) => h("option", { value }, words)));
}

/** The keys and what they do, folded away. */
export function keyList(keys) {
  return h("details", {}, h("summary", {}, "Keys"), h("dl", { class: "keys" }, keys.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])));
}

/** The latest moves: [who or "", what]. */
export function latestMoves(moves) {
  return [h("h2", {}, "Latest moves"), h("ol", { class: "moves" }, moves.map(([who, what]) => h("li", {}, who ? [h("b", {}, who), " "] : null, what)))];
}

/** Whether a key is meant for the element that has the focus, or for the browser. */
export function isForElement(event) {
  const within = (where) => event.target instanceof Element && event.target.closest(where);
  return event.ctrlKey || event.metaKey || event.altKey || within("input, select, textarea")
    || (event.key.startsWith("Arrow") && within("[role=tablist]")) || (event.key === " " && within("button, a, summary"));
}

/** Perform the action of a key; actions: by key, letters in lower case. */
export function act(event, actions) {
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** Show toggles for settings: some of the page's own ([name, words, brief, key]), and those of all pages. */
export function showToggles(place, settings, keep, own) {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.setting : null;
  const both = (words, brief) => [h("span", { class: "long" }, words), h("span", { class: "brief" }, brief)];
  const change = (name, value) => {
    settings[name] = value;
    keep();
  };
  const toggle = ([name, words, brief, key]) => h("button", {
    type: "button", "data-setting": name, "aria-pressed": String(settings[name]), "aria-label": words,
    title: key ? `${words} (${key})` : words, onclick: () => change(name, !settings[name]),
  }, both(words, brief));
  const nextTheme = THEMES[(THEMES.indexOf(settings.theme) + 1) % THEMES.length];
  show(place, [...own, ["japanese", "Japanese terms", "Jp", "J"], ["numerals", "Numerals", "123"]].map(toggle),
    h("button", { type: "button", "data-setting": "theme", "aria-label": `Theme: ${settings.theme}`, onclick: () => change("theme", nextTheme) },
      both(`Theme: ${settings.theme}`, settings.theme)));
  if (focused) place.querySelector(`[data-setting=${focused}]`).focus();
}
