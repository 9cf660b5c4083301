// Entry point of the served page: the address determines which view it shows.
import { showGame, showMissing, showPlay, showReview } from "suphx/opening.js";
import { dropAnywhere, showStart } from "suphx/start.js";
import { VIEWS } from "suphx/views.js";

const root = document.getElementById("root");
const [, view, id] = /^\/(\w+)\/?([\w-]*)$/.exec(location.pathname) || [];
const added = VIEWS.includes(view); // by a plugin

if (view !== "play" && !added) dropAnywhere(); // during a game, an accidental drop would leave it
if (added) import(`suphx/${view}.js`).then((module) => module.show(root));
else if (id) ({ review: showReview, play: showPlay, watch: showGame }[view] || showMissing)(root, id);
else (location.pathname === "/" ? showStart : showMissing)(root);
