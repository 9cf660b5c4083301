from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import torch
from suphx.networks.precision import keep_memory

torch.set_num_threads(1)

def step():
    kept = [torch.ones(10 << 20) for _ in range(2)]  # 40 MiB each: glibc's own threshold never rises above 32

def faults():
    for _ in range(8):  # until blocks lie where they stay
        step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        step()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(faults())
keep_memory()
print(faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_freed_memory_is_used_again_without_asking_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    returned, held = map(int, done.stdout.split())
    assert held < 0.5 * returned
