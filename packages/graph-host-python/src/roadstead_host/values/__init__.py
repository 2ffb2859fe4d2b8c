"""Values of graphs as JSON, and LangChain's messages as plain data."""
