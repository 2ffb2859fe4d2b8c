"""HTTP in the host: the project's own app, and calls of its own deployment."""
