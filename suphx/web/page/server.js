// Requests from the page to its server.
import { t, translate } from "suphx/words.js";

const SLOW = 500; // milliseconds without the first answer after which the page says that the server is starting
let hear = () => {};
const timer = setTimeout(() => hear(true), SLOW);

/** Have `tell(whether)` called when the server turns out to be starting, and when it has started: it then answers. */
export function whileStarting(tell) {
  hear = tell;
}

let isStarted = false;
function started() {
  if (isStarted) return;
  isStarted = true;
  clearTimeout(timer);
  hear(false);
}

/** The response to a request; throws an Error with the server's message. */
export async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(t("page.no_answer"));
  } finally {
    started();
  }
  if (response.ok) return response;
  const detail = await response.json().then((error) => error.detail, () => null); // without a message of ours, the status must do
  throw Object.assign(new Error(typeof detail === "string" ? translate(detail) : t("page.answered", { status: response.status })), { status: response.status });
}

/** Follow a review until it has ended, calling `tell(status)` each time it changes. Returns the last status. */
export function follow(review, tell) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/reviews/${review}/progress`);
    events.onopen = started;
    events.onmessage = (event) => {
      const status = JSON.parse(event.data);
      tell(status);
      if (status.state === "done" || status.state === "failed") {
        events.close();
        resolve(status);
      }
    };
    events.onerror = () => {
      if (events.readyState !== EventSource.CLOSED) return; // it reconnects by itself
      ask(`/api/reviews/${review}`).then(() => resolve({ state: "done" }), reject);
    };
  });
}

/** A form made of [name, value] pairs; a name may occur several times. */
export function formOf(values) {
  const form = new FormData();
  for (const [name, value] of values) form.append(name, value);
  return form;
}

/**
 * Follow a game after what is numbered so, `tell[kind](data, number)` for each event; `isAway(away)` is called when the
 * connection breaks or returns. Returns how the server ended the stream, `{how, status}` with how `more` (ask again),
 * `over` or `failed`; throws an Error if the game no longer exists.
 */
export function followGame(path, after, tell, isAway = () => {}) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`${path}/events?after=${after}`);
    const lost = () => ask(path).then(() => reject(new Error(t("page.not_followed"))), reject);
    for (const [kind, hear] of Object.entries(tell)) {
      events.addEventListener(kind, (event) => hear(JSON.parse(event.data), Number(event.lastEventId)));
    }
    for (const how of ["more", "over", "failed", "gone"]) {
      events.addEventListener(how, (event) => {
        events.close();
        if (how === "gone") lost();
        else resolve({ how, status: JSON.parse(event.data) });
      });
    }
    events.onopen = () => isAway(false);
    events.onerror = () => {
      isAway(true); // it reconnects by itself, after the last event that it has
      if (events.readyState === EventSource.CLOSED) lost();
    };
  });
}
