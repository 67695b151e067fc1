"""Many documents, over time: sources, store, invariants, and what Dagster makes of them."""
