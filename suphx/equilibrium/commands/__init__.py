"""The commands of this package: thin functions that import what they need when they are called."""
