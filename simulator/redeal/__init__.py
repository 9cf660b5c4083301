"""Deals the hidden tiles of a position again, uniformly over what is possible: `hidden.redeal_hidden`."""
