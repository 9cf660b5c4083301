// Terms of the game: in English as in the rest of the project, or in Japanese if the user chooses so.

const TERMS = {
  discard: "dahai", chow: "chii", pong: "pon", kong: "kan", "open kong": "daiminkan", "closed kong": "ankan",
  "added kong": "kakan", "win by draw": "tsumo", "win by claim": "ron", "nine terminals": "kyuushu kyuuhai",
  "exhaustive draw": "ryuukyoku", "four winds": "suufon renda", "four riichi": "suucha riichi",
  "four kongs": "suukaikan", "triple ron": "sanchahou", "nagashi mangan": "nagashi mangan", dealer: "oya",
  "repeat counter": "honba", "riichi bet": "riichi-bou", "tiles left": "haiyama", hand: "tehai", river: "kawa", waits: "machi",
  round: "kyoku", wind: "kaze", "dora indicator": "dora hyoujihai", "ura dora": "ura dora", fu: "fu", han: "han", East: "Ton",
  South: "Nan", West: "Shaa", North: "Pei", away: "shanten", ready: "tenpai", accepted: "ukeire", "safe tiles": "genbutsu",
  win: "agari", call: "naki", pass: "pass", "red dragon": "chun", "green dragon": "hatsu", "white dragon": "haku",
};

let japanese = false;

/** Set whether terms are in Japanese. */
export function useJapanese(wanted) {
  japanese = wanted;
}

export function isJapanese() {
  return japanese;
}

/** A term in the chosen language. */
export function term(word) {
  return japanese ? TERMS[word] || word : word;
}

/** A yaku, given as `yaku (japanese) 2` or `yaku (japanese)`, in the chosen language. */
export function yakuName(label) {
  const found = /^(.*?) \((.*?)\)( \d+)?$/.exec(label);
  return found ? (japanese ? found[2] : found[1]) + (found[3] || "") : label;
}

const SUITS = { m: ["characters", "man"], p: ["circles", "pin"], s: ["bamboo", "sou"] };
const HONOURS = ["East", "South", "West", "North", "white dragon", "green dragon", "red dragon"];

/** The spoken name of a face: `red 5 of circles`, `East`. */
export function tileName(face) {
  if (!face || face === "?") return "hidden tile";
  const number = Number(face[0]);
  if (face[1] === "z") return term(HONOURS[number - 1]);
  const [english, other] = SUITS[face[1]];
  const red = number === 0 ? (japanese ? "aka " : "red ") : "";
  return red + (japanese ? `${number || 5}-${other}` : `${number || 5} of ${english}`);
}

/** The spoken names of several tiles. */
export function tileNames(faces) {
  return faces.map(tileName).join(", ");
}

/** The name of a round, `East 1`, with its repeat counters. */
export function roundName(round, counters) {
  const [wind, number] = round.split(" ");
  const repeat = counters ? (japanese ? `, ${counters} honba` : `, repeat ${counters}`) : "";
  return `${term(wind)} ${number}${repeat}`;
}

export function number(value) {
  return Math.round(value).toLocaleString("en-US");
}

export function signed(value) {
  return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(Math.round(value)).toLocaleString("en-US");
}

/** A probability in percent, with a decimal if it is small. */
export function percent(value) {
  if (value > 0 && value < 0.001) return "<0.1%";
  return value < 0.0995 ? `${(100 * value).toFixed(1)}%` : `${Math.round(100 * value)}%`;
}

/** The name of a candidate's action. */
export function candidateName(candidate) {
  const what = term(candidate.type);
  if (candidate.type === "chow" || candidate.type === "pong") {
    return `${what} ${tileName(candidate.tile)} with ${tileNames(candidate.own)}`;
  }
  return candidate.tile ? `${what} ${tileName(candidate.tile)}` : what;
}
