"""The process in which ``apart`` has files parsed: what a file makes a parser do ends here, within limits of the kernel.

Each request on stdin is a line of JSON and the bytes of a file; each answer on stdout is a line of JSON.
"""

import json
import os
import resource
import sys
from typing import Any

from ragsweep.documents.content import Limits, Settings, raise_limit
from ragsweep.documents.parsing import parse, to_json
from ragsweep.endings import serve
from ragsweep.errors import InputError

_MB = 1_000_000


def main(settings: Settings, parent: int) -> None:
    """Answer requests until there are no more, or the parent is gone."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    serve(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (settings.limits.memory_mb * _MB,) * 2)
    for line in iter(sys.stdin.buffer.readline, b""):
        request = json.loads(line)
        _limit_cpu(settings.limits)
        answers.write(json.dumps(_answer(sys.stdin.buffer.read(request["size"]), request["id"], settings)).encode() + b"\n")
        answers.flush()


def _answer(data: bytes, id: str, settings: Settings) -> dict[str, Any]:
    try:
        return {"document": to_json(parse(data, id, settings))}
    except InputError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"{id!r} needs more than {settings.limits.memory_mb} MB of memory: {raise_limit('memory_mb')}"}
    except Exception as error:
        return {"error": f"{id!r} cannot be read ({type(error).__name__}: {error}): leave it out of dataset.files"}


def _limit_cpu(limits: Limits) -> None:
    """So many seconds from now the kernel sends SIGXCPU, which ends this process."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 1 + limits.cpu_seconds, hard))


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    main(Settings(given["pdf"], Limits(**given["limits"]), given["passwords"]), int(sys.argv[2]))
