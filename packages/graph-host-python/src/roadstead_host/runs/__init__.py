"""How a run begins, is heard of, and ends."""
