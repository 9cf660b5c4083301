// A review on the served page: its progress, then the review itself.
import { h, show } from "suphx/dom.js";
import { openReview } from "suphx/review.js";
import { ask, follow } from "suphx/server.js";
import { applySettings, loadSettings } from "suphx/settings.js";

/** Show a review by its id, waiting for it if it is not finished. */
export async function showReview(root, id) {
  applySettings(loadSettings());
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress" });
  const said = h("p", { role: "status", id: "said" }, "Waiting ...");
  const other = h("p", {}, h("a", { href: "/" }, "Open another log"));
  const title = h("h1", {}, "Review");
  show(root, h("main", { class: "start" }, title, bar, said, other));
  try {
    const status = await follow(id, (now) => {
      title.textContent = now.source;
      bar.value = now.share;
      said.textContent = now.step ? `${now.step} ...` : "Waiting ...";
    });
    if (status.state === "failed") throw new Error(status.message);
    const review = await (await ask(`/api/reviews/${id}`)).json();
    document.title = `Review: ${review.source}`;
    openReview(root, review, [
      h("a", { href: "/", id: "another" }, "Open another"),
      h("a", { href: `/api/reviews/${id}/file`, download: "", id: "keep" }, "Save as a file"),
    ]);
  } catch (error) {
    bar.remove();
    said.textContent = error.message;
    said.classList.add("error");
  }
}
