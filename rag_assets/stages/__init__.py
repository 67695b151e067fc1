"""What a run does to one partition, stage by stage. No Dagster: the assets call these functions."""
