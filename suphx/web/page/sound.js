// Short sounds for what happens at the table, made by the browser itself.

// By kind: [hertz, seconds from the beginning] of each tone.
const TONES = {
  discard: [[210, 0]], call: [[330, 0], [440, 0.08]], riichi: [[440, 0], [554, 0.1], [659, 0.2]], win: [[523, 0], [659, 0.1], [784, 0.2], [1047, 0.3]],
};
const LENGTH = 0.09; // seconds of a tone
const LOUD = 0.15;
let context = null;

/** Which sound the moves of a position make, the most important one; null: none. */
export function soundOf(moves) {
  const words = moves.map(([, each]) => each);
  if (words.some((each) => each.startsWith("win"))) return "win";
  if (words.includes("riichi")) return "riichi";
  if (words.some((each) => /^(chow|pong|\w+ kong)/.test(each))) return "call";
  return words.some((each) => each.startsWith("discard")) ? "discard" : null;
}

/** Make a sound. */
export function makeSound(kind) {
  context = context || new AudioContext();
  for (const [hertz, after] of TONES[kind]) {
    const [tone, gain, from] = [context.createOscillator(), context.createGain(), context.currentTime + after];
    tone.frequency.value = hertz;
    gain.gain.setValueAtTime(LOUD, from);
    gain.gain.exponentialRampToValueAtTime(0.001, from + LENGTH);
    tone.connect(gain).connect(context.destination);
    tone.start(from);
    tone.stop(from + LENGTH);
  }
}
