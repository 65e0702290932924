"""Results as tables: the terminal text, report.md, report.csv, report.json and questions.csv."""
