// What the pages of games have in common: navigation, keys, settings, names.
import { h, s, show } from "suphx/dom.js";
import { saveSettings } from "suphx/settings.js";
import { languages, t } from "suphx/words.js";

const THEMES = ["auto", "dark", "light"];

// The icons on buttons, as SVG paths.
const ICONS = {
  "round-before": "M4 4V20M20 4 8 12 20 20Z", "decision-before": "M12 4 2 12 12 20ZM22 4 12 12 22 20Z", "step-before": "M17 4 7 12 17 20Z",
  "step-after": "M7 4 17 12 7 20Z", "decision-after": "M2 4 12 12 2 20ZM12 4 22 12 12 20Z", "round-after": "M4 4 16 12 4 20ZM20 4V20",
  play: "M6 3 20 12 6 21Z", pause: "M7 4H9V20H7ZM15 4H17V20H15Z",
};

export const PERSON = "You"; // the name of a person at the table, as the server has it

/** Names to show: missing and repeated names get the number of their seat. */
export function tellApart(names) {
  return names.map((name, seat) => {
    if (!name) return t("page.seat_number", { seat: seat + 1 });
    if (name === PERSON) return t("page.you");
    return names.filter((other) => other === name).length > 1 ? `${seat + 1} ${name}` : name;
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

/** A select element with options [value, words]. */
export function selectOf(id, label, options, change) {
  return h("select", { id, "aria-label": label, onchange: (event) => change(event.target.value) },
    options.map(([value, words]) => h("option", { value }, words)));
}

/** A field for a file, to stand in a label; a browser's own button speaks the browser's language. */
export function fileField(id, accept, take, multiple = false) {
  const input = h("input", { type: "file", id, accept, multiple, class: "unseen", onchange: () => {
    take([...input.files]);
    input.value = "";
  } });
  return [input, h("span", { class: "button" }, t(multiple ? "start.choose_several" : "start.choose"))];
}

/** What a word means, folded away beneath it: opened by mouse, touch and keyboard alike. `name`: of its texts, `about.name` and `about.name_means`. */
export function explained(name) {
  return h("details", { class: "explained" }, h("summary", {}, t("about.what_is", { word: t(`about.${name}`) })), h("p", {}, t(`about.${name}_means`)));
}

/** A button, and the key `?`, that list the keys and what they do ([key, name of its text]). */
export function keyHelp(keys) {
  const list = h("dl", { class: "keys" }, [...keys, ["?", "keys"]].map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(`keys.${meaning}`))]));
  const close = () => dialog.close();
  const dialog = h("dialog", { id: "keys", "aria-label": t("page.keys") }, list, h("button", { type: "button", onclick: close }, t("page.close")));
  return [h("button", { type: "button", id: "keys-button", onclick: () => dialog.showModal() }, t("page.keys_help")), dialog];
}

/** The latest moves: [who or "", what]. */
export function latestMoves(moves) {
  return [h("h2", {}, t("page.latest_moves")), h("ol", { class: "moves" }, moves.map(([who, what]) => h("li", {}, who ? [h("b", {}, who), " "] : null, what)))];
}

/** Settings: in line, or where there is little room behind a button. */
export function settingsMenu(...content) {
  return [h("button", { type: "button", id: "settings-button", popovertarget: "settings" }, t("settings.label")), h("div", { id: "settings", popover: "auto" }, content)];
}

/** Whether a key is meant for the element that has the focus, or for the browser. */
export function isForElement(event) {
  const within = (where) => event.target instanceof Element && event.target.closest(where);
  return event.ctrlKey || event.metaKey || event.altKey || within("input, select, textarea, dialog")
    || (event.key.startsWith("Arrow") && within("[role=tablist]")) || (event.key === " " && within("button, a, summary"));
}

/** Perform the action of a key; actions: by key, letters in lower case. `?` lists the keys. */
export function act(event, actions) {
  const action = { "?": () => document.getElementById("keys-button").click(), ...actions }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/**
 * Show toggles for settings: some of the page's own ([name, key], with texts of these names), and those of all pages.
 * `relabel()`: called when another language was chosen.
 */
export function showToggles(place, settings, keep, own, relabel = () => location.reload()) {
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.setting : null;
  const change = (name, value) => {
    settings[name] = value;
    keep();
  };
  const toggle = ([name, key]) => h("button", {
    type: "button", "data-setting": name, "aria-pressed": String(settings[name]), title: key ? t("settings.by_key", { name: t(`settings.${name}`), key }) : null,
    onclick: () => change(name, !settings[name]),
  }, t(`settings.${name}`));
  const nextTheme = THEMES[(THEMES.indexOf(settings.theme) + 1) % THEMES.length];
  const theme = t(`settings.${settings.theme}`);
  const now = document.documentElement.dataset.language;
  show(place, own.map(toggle), toggle(["numerals"]),
    h("button", { type: "button", "data-setting": "theme", onclick: () => change("theme", nextTheme) }, t("settings.theme", { theme })),
    h("select", { "data-setting": "language", "aria-label": t("settings.language"), onchange: (event) => {
      settings.language = event.target.value;
      saveSettings(settings);
      relabel();
    } }, languages().map(([code, name]) => h("option", { value: code, selected: code === now }, name))));
  if (focused) place.querySelector(`[data-setting=${focused}]`).focus();
}
