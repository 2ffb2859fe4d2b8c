"""Fails while it is loaded."""

raise RuntimeError("this agent never loads")
