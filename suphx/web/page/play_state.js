// The state of a played game on the page: positions that wait to be shown, the question, and its clock.

const STEPS = { slow: 900, normal: 350, fast: 130, instant: 0 }; // milliseconds between positions
const CLOCKED = STEPS.normal; // the maximum if there is a clock: the server allows for no more

export class PlayState {
  /** answer(question, action): send an answer. pace(): the speed chosen. shown(position): show one. changed(): redraw. */
  constructor(status, { answer, pace, shown, changed }) {
    this.status = status;
    this.options = status.options;
    this.send = answer;
    this.pace = pace;
    this.shown = shown;
    this.changed = changed;
    this.position = null;
    this.before = null;
    this.waiting = [];
    this.timer = null;
    this.latest = 0;
    this.answered = 0; // number of the last question that was answered here
    this.armed = false; // riichi has been chosen, but not yet its discard
    this.discardNext = null; // the discard that goes with a declared riichi
    this.clock = null;
    this.away = false;
    this.message = "";
  }

  /** The question at the position shown. */
  get question() {
    return this.position ? this.position.question : null;
  }

  /** Whether the answer has been sent. */
  get busy() {
    return Boolean(this.question) && this.question.number <= this.answered;
  }

  /** Whether every position received is shown. */
  get isLast() {
    return this.position !== null && !this.waiting.length;
  }

  /** Take a position from the server. */
  take(position) {
    if (position.number <= this.latest) return; // already received
    this.latest = position.number;
    this.waiting.push(position);
    this.declare(position);
    if (this.timer === null) this.step();
  }

  step() {
    this.timer = null;
    if (!this.waiting.length) return;
    do {
      this.before = this.position;
      this.position = this.waiting.shift();
      this.armed = false;
      this.message = "";
      this.shown(this.position);
    } while (this.waiting.length && (document.hidden || !this.wait));
    if (this.wait) this.timer = setTimeout(() => this.step(), this.wait);
  }

  get wait() {
    const step = STEPS[this.pace()];
    return this.status.pace ? Math.min(step, CLOCKED) : step;
  }

  /** Discard the tile that was chosen with riichi. */
  declare({ question }) {
    const chosen = this.discardNext;
    if (!question) return;
    this.discardNext = null;
    const isOffered = question.situation === "riichi discard" && question.choices.some((each) => each.action === chosen);
    if (isOffered) this.post(question.number, chosen);
  }

  arm(armed) {
    if (armed === this.armed) return;
    this.armed = armed && !this.busy;
    this.changed();
  }

  /** A discard is chosen: by itself, or with riichi. */
  discard(choice) {
    if (!this.armed) {
      this.answer(choice.action);
      return;
    }
    this.discardNext = choice.action;
    this.answer(this.question.choices.find((each) => each.type === "riichi").action);
  }

  answer(action) {
    if (this.question && !this.busy) this.post(this.question.number, action);
  }

  async post(number, action) {
    this.answered = number;
    this.armed = false;
    this.changed();
    try {
      await this.send(number, action);
    } catch (error) {
      this.discardNext = null;
      this.answered = number - 1; // if another page has answered, the server sends what follows
      this.message = error.message;
      this.changed();
    }
  }

  setClock(left) {
    this.clock = { ...left, at: performance.now() };
  }

  /** The time left for the question shown, in seconds; null without a clock. */
  timeLeft() {
    if (!this.clock || !this.question || this.clock.question !== this.question.number || this.busy) return null;
    const spent = this.clock.running && !this.away ? (performance.now() - this.clock.at) / 1000 : 0;
    const beyond = Math.max(0, spent - this.clock.decision);
    return { decision: Math.max(0, this.clock.decision - spent), reserve: Math.max(0, this.clock.reserve - beyond) };
  }
}
