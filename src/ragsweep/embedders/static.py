"""Static embeddings: the mean of the vectors of a text's tokens, by model2vec (extra ``static``)."""

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
class Static:
    """The model2vec model in the folder ``path``, or of this name (owner/model) on the Hugging Face hub. It has no window."""

    path: str
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()
    query_prefix: ClassVar[str] = ""
    passage_prefix: ClassVar[str] = ""

    @property
    def model(self) -> str:
        """model2vec by version, and the content of the folder. Raises InputError when one of them is not there."""
        return f"{installed('model2vec', 'static')} {digest_of_folder(self._folder())}"

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), d), float32, rows of length 1, or 0 for a text without known tokens."""
        model = _open(self._folder(), self.model)
        vectors = model.encode(list(texts) or [""], max_length=None, use_multiprocessing=False)
        return unit(vectors[: len(texts)].astype("float32"))

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """Never: every token counts, however long the text."""
        return [False] * len(texts)

    def _folder(self) -> Path:
        return model_folder(self.path, _load)


def _load(path: str) -> Any:
    from model2vec import StaticModel

    return StaticModel.from_pretrained(path)


@lru_cache(maxsize=2)
def _open(folder: Path, content: str) -> Any:
    """The model, opened once a process; ``content`` changes with its files."""
    return opened(_load, folder)
