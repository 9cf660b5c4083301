// What the page asks of its server.

/** The answer to a request; throws an Error with the server's words. */
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
    // not in our own words: the status has to do
  }
  throw Object.assign(new Error(typeof said === "string" ? said : `The server answered ${answer.status}.`), { status: answer.status });
}

/** Follow a review until it has ended: `tell(status)` each time it changes. Returns the last status. */
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
      if (events.readyState !== EventSource.CLOSED) return; // it tries again by itself
      ask(`/api/reviews/${review}`).then(() => resolve({ state: "done" }), reject);
    };
  });
}

/**
 * Follow a game from a round on: `tell(index, round)` for each round; returns how the server ended it, `{how, status}`
 * with how `more` (ask again), `over` or `failed`. Throws an Error with the server's words where the game is gone.
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
      if (events.readyState === EventSource.CLOSED) asked(); // else it tries again by itself, from the last round it has
    };
  });
}

/** A form out of [name, value] pairs; a name may come several times. */
export function formOf(values) {
  const form = new FormData();
  for (const [name, value] of values) form.append(name, value);
  return form;
}

/**
 * Follow a game that is played: `tell` has a function for each kind of event (position, clock, options, over, failed),
 * and `lost(error)` for when it cannot be followed any longer. `isAway(away)` says when the connection breaks and is back.
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
    isAway(true); // it tries again by itself, from the last position that it has
    if (events.readyState === EventSource.CLOSED) end();
  };
}
