"""The large learner on small games, judged exactly: learning, oracle guiding, run-time adaptation."""
