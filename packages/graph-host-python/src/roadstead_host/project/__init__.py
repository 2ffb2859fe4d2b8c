"""What `langgraph.json` names, loaded."""
