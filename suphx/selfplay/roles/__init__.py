"""The roles of self-play as Ray actors: simulators, inference engines, replay buffers, parameter server, monitor."""
