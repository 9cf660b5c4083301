"""The page about a run of the main job: what its steps left in a folder, read, drawn and told."""
