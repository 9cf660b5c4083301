// The start page: open or drop a log, the existing reviews, and games to watch or play.
import { h, show } from "suphx/dom.js";
import { playSection } from "suphx/play_start.js";
import { ask } from "suphx/server.js";
import { applySettings, loadSettings } from "suphx/settings.js";
import { watchSection } from "suphx/watch_start.js";

const MOST = 8 * 1024 * 1024; // maximum size of a log, as on the server
let tell = (words) => alert(words);

async function send(form) {
  tell("Sending ...");
  try {
    const answer = await ask("/api/reviews", { method: "POST", body: form });
    location.assign(`/review/${(await answer.json()).id}`);
  } catch (error) {
    tell(error.message, true);
  }
}

/** Start the review of a file. */
function sendFile(file) {
  if (!file) return;
  if (file.size > MOST) {
    tell(`${file.name} is larger than the 8 MiB that a log may have.`, true);
    return;
  }
  const form = new FormData();
  form.append("log", file);
  send(form);
}

/** Allow a log to be dropped anywhere on the page. */
export function dropAnywhere() {
  const over = (is) => document.body.classList.toggle("dropping", is);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", () => over(false));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    sendFile(event.dataTransfer.files[0]);
  });
}

function reviewRow(review, again) {
  const words = { waiting: "waits", running: `${Math.round(100 * review.share)}%`, done: "", failed: review.message }[review.state];
  const forget = async () => {
    try {
      await ask(`/api/reviews/${review.id}`, { method: "DELETE" });
    } catch (error) {
      tell(error.message, true);
    }
    again();
  };
  return h("li", {}, h("a", { href: `/review/${review.id}` }, review.source), " ", h("span", { class: "quiet" }, words), " ",
    h("button", { type: "button", "aria-label": `Forget ${review.source}`, onclick: forget }, "Forget"));
}

/** Show the start page in an element. */
export function showStart(root) {
  applySettings(loadSettings());
  const said = h("p", { role: "status", id: "said" });
  tell = (words, isError) => {
    said.textContent = words;
    said.classList.toggle("error", Boolean(isError));
    said.scrollIntoView({ block: "nearest" });
  };
  const file = h("input", { type: "file", id: "log", accept: ".mjlog,.xml,.json,.jsonl,.mjson,.mjai,.log,.gz", onchange: () => {
    sendFile(file.files[0]);
    file.value = "";
  } });
  const address = h("input", { type: "url", id: "address", placeholder: "https://tenhou.net/0/?log=..." });
  const byAddress = h("form", { class: "address", hidden: true, onsubmit: (event) => {
    event.preventDefault();
    const form = new FormData();
    form.append("address", address.value);
    send(form);
  } }, h("label", { for: "address" }, "Or a Tenhou viewer address whose file is at hand"), address, h("button", { type: "submit" }, "Review"));
  const by = h("p", { class: "quiet" });
  const list = h("ul", { class: "kept" });
  const kept = h("section", { hidden: true, "aria-label": "Reviews" }, h("h3", {}, "Reviews"), list);
  const play = playSection((...words) => tell(...words));
  const watch = watchSection((...words) => tell(...words));
  show(root, h("main", { class: "start cards" }, h("h1", {}, "Suphx"), said, play.section,
    h("section", { class: "card", "aria-labelledby": "review-title" }, h("h2", { id: "review-title" }, "Review a game"),
      h("label", { class: "drop", for: "log" }, h("b", {}, "Drop a log here, or open one"), h("span", { class: "quiet" }, "mjlog, Tenhou's JSON or mjai; it stays on this machine"), file),
      byAddress, by, kept),
    watch.section));
  const refresh = async () => {
    try {
      const found = await (await ask("/api/reviews")).json();
      by.textContent = `Games are reviewed by ${found.agent}.`;
      byAddress.hidden = !found.addresses;
      kept.hidden = !found.reviews.length;
      show(list, found.reviews.map((each) => reviewRow(each, refresh)));
    } catch (error) {
      tell(error.message, true);
    }
  };
  refresh();
  play.update();
  watch.update();
}
