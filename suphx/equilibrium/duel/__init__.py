"""Two-player mahjong with 64 tiles, and CFR over three plans of play (Wang 2020, "CFR-p")."""
