// The user's settings, kept in the browser if that is allowed.
import { languageTag, useLanguage } from "suphx/words.js";

const KEY = "suphx-page";
const DEFAULTS = { theme: "auto", language: "", numerals: true, open: true, quiz: false, hands: "all", speed: 2, help: false, coach: false, sound: false, pace: "normal" };

/** The settings; missing or unknown ones have their defaults. */
export function loadSettings() {
  let values = {};
  try {
    values = JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    // no storage available (a private window, a file): the settings are not kept
  }
  const known = Object.entries(DEFAULTS).filter(([name, value]) => typeof values[name] === typeof value);
  return { ...DEFAULTS, ...Object.fromEntries(known.map(([name]) => [name, values[name]])) };
}

export function saveSettings(settings) {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // as above
  }
}

/** Apply the settings to the page: before anything with words is made. */
export function applySettings({ theme, numerals, language }) {
  const root = document.documentElement;
  root.dataset.language = useLanguage(language);
  root.lang = languageTag();
  root.dataset.theme = theme;
  root.classList.toggle("numerals", numerals);
}
