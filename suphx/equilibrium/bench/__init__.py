"""Speed of the solvers beside other programs'."""
