// Requests from the page to its server.
import { t, told } from "suphx/words.js";

const STARTING = "the program behind the page is being loaded"; // what the server says until it is
const AGAIN = 300; // milliseconds between requests until then
let hear = () => {};

/** Have it told, by `tell(whether)`, that the program behind the page is not loaded yet, and that it is now. */
export function whileStarting(tell) {
  hear = tell;
}

/** The response to a request, once the program behind the page is loaded; throws an Error with the server's message. */
export async function ask(path, options = {}) {
  for (let waited = false; ; waited = true) {
    const { answer, said } = await fetched(path, options);
    if (said === STARTING) {
      hear(true);
      await new Promise((resolve) => { setTimeout(resolve, AGAIN); });
      continue;
    }
    if (waited) hear(false);
    if (answer.ok) return answer;
    throw Object.assign(new Error(typeof said === "string" ? told(said) : t("page.answered", { status: answer.status })), { status: answer.status });
  }
}

/** A response, and the server's message if it is an error. */
async function fetched(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error(t("page.no_answer"));
  }
  if (answer.ok) return { answer, said: null };
  try {
    return { answer, said: (await answer.json()).detail };
  } catch {
    return { answer, said: null }; // no message of ours in the response: the status must do
  }
}

/** Follow a review until it has ended, calling `tell(status)` each time it changes. Returns the last status. */
export function follow(review, tell) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/reviews/${review}/progress`);
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
