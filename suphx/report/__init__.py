"""The report on a run of the main job: reads the results in its folder, plots them and writes a page about them."""
