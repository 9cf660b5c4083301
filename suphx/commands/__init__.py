"""The commands of `suphx`, one file each: thin functions that import what they need when they are called."""
