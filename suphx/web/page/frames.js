// Reconstruction of whole frames from the first one and the changes: see `suphx.review.frames`.

/** All frames of a round, whole; `last` is the seat that discarded last, `name` the round's. */
export function wholeFrames(round) {
  const found = [];
  let before = null;
  for (const each of round.frames) {
    if (!before) {
      before = { ...each, name: round.name, last: null };
    } else {
      const seats = before.seats.map((seat, n) => ({ ...seat, ...((each.seats || {})[n] || {}) }));
      const grown = seats.findIndex((seat, n) => seat.river.length > before.seats[n].river.length);
      const called = seats.some((seat, n) => seat.melds !== before.seats[n].melds);
      before = { ...before, ...each, seats, last: grown >= 0 ? grown : called ? null : before.last };
    }
    found.push(before);
  }
  return found;
}
