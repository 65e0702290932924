"""Every option of every group with its line of meaning: the first comment of its YAML in conf/."""

from ragsweep.errors import InputError, nearest
from ragsweep.places import packaged
from ragsweep.setups import CHOSEN


def options(group: str) -> dict[str, str]:
    """Option name -> meaning, in alphabetical order. Raises InputError for a group that does not exist."""
    if group not in CHOSEN:
        raise InputError(f"{group}=?: there is no such part; {nearest(group, list(CHOSEN))}")
    found = {}
    for path in sorted((packaged("conf") / group).glob("*.yaml")):
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        found[path.stem] = first.removeprefix("#").strip()
    return found


def options_help(group: str | None = None) -> str:
    """The options of one group, or of all, as text."""
    lines = []
    for name in CHOSEN if group is None else (group,):
        found = options(name)
        width = max(map(len, found))
        lines += [f"{name}=", *(f"  {option:<{width}}  {meaning}" for option, meaning in found.items())]
    return "\n".join(lines) + "\n"
