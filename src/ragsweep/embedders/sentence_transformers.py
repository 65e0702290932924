"""Any model of the library sentence-transformers (extra ``sentence-transformers``), on the CPU, on one thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ragsweep.embedders.local import digest_of_folder, installed, model_folder, opened
from ragsweep.embedders.unit import unit
from ragsweep.parts import Need

if TYPE_CHECKING:
    from ragsweep.types import Matrix


@dataclass(frozen=True)
class SentenceTransformers:
    """The model in the folder ``path``, or of this name (owner/model) on the Hugging Face hub. It cuts a text at its window.

    A prefix is put before every query or passage; prompts that the model's own files name are not used.
    """

    path: str
    query_prefix: str = ""
    passage_prefix: str = ""
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    @property
    def model(self) -> str:
        """The library by version, and the content of the folder. Raises InputError when one of them is not there."""
        return f"{installed('sentence-transformers', 'sentence-transformers')} {digest_of_folder(self._folder())}"

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), d), float32, rows of length 1. One text at a time: neighbours change the last bits."""
        vectors = self._opened().encode(list(texts) or [""], batch_size=1, prompt="", show_progress_bar=False)
        return unit(vectors[: len(texts)].astype("float32"))

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it is longer than the model's window, special tokens included, and so cut."""
        model = self._opened()
        if model.max_seq_length is None:
            return [False] * len(texts)
        tokens = model.tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]
        return [len(ids) > model.max_seq_length for ids in tokens]

    def _folder(self) -> Path:
        return model_folder(self.path, _load)

    def _opened(self) -> Any:
        return _open(self._folder(), self.model)


def _load(path: str) -> Any:
    from sentence_transformers import SentenceTransformer

    # Weights as safetensors only: the other form is pickled.
    return SentenceTransformer(path, device="cpu", model_kwargs={"use_safetensors": True})


@lru_cache(maxsize=2)
def _open(folder: Path, content: str) -> Any:
    """The model, opened once a process; ``content`` changes with its files."""
    import torch
    import transformers

    torch.set_num_threads(1)  # setups run side by side, a core each
    transformers.utils.logging.disable_progress_bar()
    return opened(_load, folder)
