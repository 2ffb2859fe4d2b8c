"""Exports what is no graph."""

value = 42
