"""Write conf/experiment.schema.json again, after a change of a part, a root value or a comment in conf/."""

from ragsweep.config.schema import schema_text
from ragsweep.places import schema_file

if __name__ == "__main__":
    schema_file().write_text(schema_text(), encoding="utf-8")
