"""Everything behind `suphx bench`: speed, beside others in the same run, and what a training gained."""
