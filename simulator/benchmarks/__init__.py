"""Speed benchmarks, run side by side with the fastest known peer libraries."""
