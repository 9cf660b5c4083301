// Entry point of the served page: the address determines which view it shows.
import { showPlay } from "suphx/playing.js";
import { showReview } from "suphx/reviewing.js";
import { dropAnywhere, showStart } from "suphx/start.js";
import { showGame } from "suphx/watching.js";

const root = document.getElementById("root");
const review = /^\/review\/([\w-]+)$/.exec(location.pathname);
const played = /^\/play\/([\w-]+)$/.exec(location.pathname);
const game = /^\/watch\/([\w-]+)$/.exec(location.pathname);

if (!played) dropAnywhere(); // during a game, an accidental drop would leave it
if (played) showPlay(root, played[1]);
else if (review) showReview(root, review[1]);
else if (game) showGame(root, game[1]);
else showStart(root);
