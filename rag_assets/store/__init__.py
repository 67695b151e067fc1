"""The warehouse: one DuckDB file per partition and stage, published by rename. Knows no Dagster."""
