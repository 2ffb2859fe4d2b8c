"""Graphs that don't run: the state of their threads, and what they look like from outside."""
