"""The commands that the assets add to `ragctl`, by entry point `rag_chunker.commands`."""
