"""The one door from config to code: plain values in, frozen dataclasses out, every mistake at once."""

from ragsweep.config.door import build_root, build_setup
from ragsweep.config.root import ROOT_KEYS, RootConfig

__all__ = ["ROOT_KEYS", "RootConfig", "build_root", "build_setup"]
