"""How runs are traced, by the user's own LangSmith SDK."""
