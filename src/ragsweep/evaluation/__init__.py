"""Run one setup over the questions, and score what happened."""
