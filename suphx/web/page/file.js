// The start of a file with one review: the review stands in it.
import { openReview } from "suphx/review.js";

openReview(document.getElementById("root"), JSON.parse(document.getElementById("review").textContent));
