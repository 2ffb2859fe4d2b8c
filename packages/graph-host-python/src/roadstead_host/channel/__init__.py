"""The channel to the engine: frames, questions, answers and messages over descriptor 3."""
