// Entry point of a file with a single review, which is embedded in it.
import { openReview } from "suphx/review.js";

openReview(document.getElementById("root"), JSON.parse(document.getElementById("review").textContent));
