"""Many documents, over time: sources, the DuckDB store, its invariants, and the Dagster definitions."""
