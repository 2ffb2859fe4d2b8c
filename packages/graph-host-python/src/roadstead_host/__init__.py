"""Runs the graphs of one revision, and speaks the host protocol with its engine."""
