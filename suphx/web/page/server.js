// Requests from the page to its server.

/** The response to a request; throws an Error with the server's message. */
export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is `suphx web` still running?");
  }
  if (answer.ok) return answer;
  let said = null;
  try {
    said = (await answer.json()).detail;
  } catch {
    // no message of ours in the response: the status must do
  }
  throw Object.assign(new Error(typeof said === "string" ? said : `The server answered ${answer.status}.`), { status: answer.status });
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

/**
 * Follow a game from a round on, calling `tell(index, round)` for each round; returns how the server ended the stream,
 * `{how, status}` with how `more` (ask again), `over` or `failed`. Throws an Error if the game no longer exists.
 */
export function followRounds(game, after, tell) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/games/${game}/rounds?after=${after}`);
    const asked = () => ask(`/api/games/${game}`).then(() => reject(new Error("The game cannot be followed.")), reject);
    events.addEventListener("round", (event) => tell(Number(event.lastEventId), JSON.parse(event.data)));
    for (const how of ["more", "over", "failed", "gone"]) {
      events.addEventListener(how, (event) => {
        events.close();
        if (how === "gone") asked();
        else resolve({ how, status: JSON.parse(event.data) });
      });
    }
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) asked(); // otherwise it reconnects by itself, after the last round it has
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
 * Follow a game that is played: `tell` has a function for each kind of event (position, clock, options, over, failed),
 * and `lost(error)` for when it cannot be followed any longer. `isAway(away)` is called when the connection breaks or
 * returns.
 */
export function followPlay(game, tell, { lost, isAway }) {
  const events = new EventSource(`/api/play/${game}/positions`);
  const last = ["over", "failed"];
  const end = () => ask(`/api/play/${game}`).then(() => lost(new Error("The game cannot be followed.")), lost);
  for (const kind of ["position", "clock", "options", ...last]) {
    events.addEventListener(kind, (event) => {
      if (last.includes(kind)) events.close();
      tell[kind](JSON.parse(event.data));
    });
  }
  events.addEventListener("gone", () => {
    events.close();
    end();
  });
  events.onopen = () => isAway(false);
  events.onerror = () => {
    isAway(true); // it reconnects by itself, after the last position that it has
    if (events.readyState === EventSource.CLOSED) end();
  };
}
