"""Rule-based players, compiled like the rest: `random`, `tsumogiri`, `sensible`."""
