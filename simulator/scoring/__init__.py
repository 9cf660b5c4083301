"""What a hand is worth and who pays: blocks, yaku, fu and points; the same for Python in `hands`."""
