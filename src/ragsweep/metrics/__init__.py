"""Metrics of a ranked list, one a file. All follow from gains: how many evidences each rank found for the first time."""
