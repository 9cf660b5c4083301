"""`python -m suphx`: the same as the command `suphx`."""

from suphx.cli import main

if __name__ == "__main__":
    main()
