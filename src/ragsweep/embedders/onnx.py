"""Any local transformer in ONNX form, with its tokenizer.json."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ragsweep.embedders.local import digest_of
from ragsweep.embedders.transformer import Overflow, Pooling, Transformer
from ragsweep.errors import InputError
from ragsweep.parts import Need
from ragsweep.text.wordpiece import read_tokenizer

if TYPE_CHECKING:
    from ragsweep.types import Matrix

PLACES = ("model.onnx", "onnx/model.onnx")
"""Where a folder holds its model."""


@dataclass(frozen=True)
class Onnx:
    """The model at ``path``, an .onnx file or a folder with one, and the tokenizer.json beside it or one folder up.

    ``window`` counts tokens with the special ones. A prefix is put before every query or passage. Of a text over the window a
    later window has no prefix. One text is run at a time, so its vector does not depend on its neighbours.
    """

    path: str
    window: int = 512
    pooling: Pooling = "mean"
    overflow: Overflow = "pool"
    query_prefix: str = ""
    passage_prefix: str = ""
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __post_init__(self) -> None:
        if self.window < 8:
            raise InputError(f"window={self.window}: write the tokens that the model takes, such as window=512")

    @property
    def model(self) -> str:
        """The content of model and tokenizer. Raises InputError when one of them is not there."""
        model, tokenizer = _files(self.path)
        # Weights of large models lie outside: model.onnx_data, model.onnx.data.
        parts = [path for path in model.parent.iterdir() if path.name.startswith(model.name) and path.is_file()]
        return f"onnx {digest_of({path.name: path for path in (*parts, tokenizer)})}"

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Shape (len(texts), d), float32, rows of length 1, or 0 for a text without tokens.

        Raises InputError for a file that is no such model, ValueError when it gives NaN.
        """
        tokenizer, transformer = self._opened()
        return transformer.embed(_encode(tokenizer, texts), self.window, self.overflow)

    def over_window(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it is longer than ``window`` tokens, special ones included."""
        tokenizer, _ = self._opened()
        size = self.window - tokenizer.num_special_tokens_to_add(is_pair=False)
        return [len(ids) > size for ids in _encode(tokenizer, texts)]

    def _opened(self) -> tuple[Any, Transformer]:
        return _open(*_files(self.path), self.pooling, self.model)


def _files(path: str) -> tuple[Path, Path]:
    """The .onnx file and the tokenizer.json of ``path``, absolute."""
    given = Path(path).expanduser().absolute()
    model = next((given / place for place in PLACES if (given / place).is_file()), given)
    if not model.is_file():
        said = f"holds no {' and no '.join(PLACES)}" if model.is_dir() else "there is no such file or folder"
        raise InputError(f"path={path}: {said}")
    places = (model.parent / "tokenizer.json", model.parents[1] / "tokenizer.json")
    tokenizer = next((place for place in places if place.is_file()), None)
    if tokenizer is None:
        raise InputError(f"path={path}: there is no tokenizer.json beside {model.name}")
    return model, tokenizer


@lru_cache(maxsize=2)
def _open(model: Path, tokenizer: Path, pooling: Pooling, content: str) -> tuple[Any, Transformer]:
    """Tokenizer and model, opened once a process; ``content`` changes with the files."""
    try:
        opened = read_tokenizer(tokenizer.read_bytes())
        example = opened.encode("a")
    except Exception as error:
        raise InputError(f"{tokenizer}: cannot be read as a tokenizer: {error}") from error
    first = example.special_tokens_mask.index(0)
    after = len(example.ids) - example.special_tokens_mask[::-1].index(0)
    return opened, Transformer(model, example.ids[:first], example.ids[after:], pooling)


def _encode(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
