"""Loads the parts that `langgraph.json` names."""
