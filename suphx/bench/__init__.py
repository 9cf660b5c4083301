"""Everything behind `suphx bench` and `suphx logs tamper`: speed, what a training gained, what verification finds."""
