"""LangGraph's checkpointer and store over the engine, which keeps both."""
