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
