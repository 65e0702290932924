"""none: answers are not judged."""

from dataclasses import dataclass
from typing import ClassVar

from ragsweep.judges.judging import Case
from ragsweep.parts import Need
from ragsweep.results import Verdict


@dataclass(frozen=True)
class NoJudge:
    """Asks nobody."""

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def judge(self, case: Case) -> Verdict:
        """Unscored."""
        return Verdict(unscored="there is no judge")
