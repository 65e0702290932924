"""ollama: a model of an Ollama server judges answers."""

from dataclasses import dataclass, field

from ragsweep.generators import ollama
from ragsweep.judges.judging import Case, Prompts, judged
from ragsweep.results import Verdict


@dataclass(frozen=True)
class Ollama(ollama.Ollama):
    """Its fields are those of the generator ollama, but for what it is told."""

    prompts: Prompts = field(default_factory=Prompts)  # type: ignore[assignment]  # other tasks, other prompts

    def judge(self, case: Case) -> Verdict:
        """See ``ragsweep.judges.judging.judged``."""
        return judged(self, self.prompts.judge, case)
