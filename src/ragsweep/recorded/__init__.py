"""Systems that ragsweep did not run: files of what they returned -> rows -> a Record per question -> Scores, and a Result."""

from ragsweep.recorded.reading import FORMATS, Read, read
from ragsweep.recorded.scoring import scored
from ragsweep.recorded.systems import Cut, System, systems

__all__ = ["FORMATS", "Cut", "Read", "System", "read", "scored", "systems"]
