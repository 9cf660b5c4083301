// The user's settings, kept in the browser if that is allowed.

const KEY = "suphx-page";
const DEFAULTS = { theme: "auto", japanese: false, numerals: true, open: true, hands: "all", speed: 2, help: false, pace: "normal" };

/** The settings; missing or unknown ones have their defaults. */
export function loadSettings() {
  let found = {};
  try {
    found = JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    // no storage available (a private window, a file): the settings are not kept
  }
  const known = Object.entries(DEFAULTS).filter(([name, value]) => typeof found[name] === typeof value);
  return { ...DEFAULTS, ...Object.fromEntries(known.map(([name]) => [name, found[name]])) };
}

export function saveSettings(settings) {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // as above
  }
}

/** Apply the settings to the page. */
export function applySettings({ theme, numerals }) {
  document.documentElement.dataset.theme = theme;
  document.documentElement.classList.toggle("numerals", numerals);
}
