"""What a seat sees of a table, for people, networks and bots: text, pictures, planes, results and mjai events."""
