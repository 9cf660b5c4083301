// Entry point of the served page: the address determines which view it shows.
import { showDuel } from "suphx/duel.js";
import { showGame, showPlay, showReview } from "suphx/opening.js";
import { dropAnywhere, showStart } from "suphx/start.js";

const root = document.getElementById("root");
const [, view, id] = /^\/(review|play|watch|duel)\/?([\w-]*)$/.exec(location.pathname) || [];

if (view !== "play" && view !== "duel") dropAnywhere(); // during a game, an accidental drop would leave it
({ duel: showDuel, review: showReview, play: showPlay, watch: showGame }[view] || showStart)(root, id);
