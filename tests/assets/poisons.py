"""What documents do to parsers: functions that a worker runs. Imports nothing that is slow."""

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from rag_core.errors import CorruptDocument, EncryptedDocument, RagError


def double(number: int) -> int:
    return 2 * number


def apply(poison: Callable[..., object] | None, *args: object) -> object:
    """Run `poison`, if any: so that one pool meets many kinds."""
    return "fine" if poison is None else poison(*args)


def pid() -> int:
    return os.getpid()


def segfault() -> None:
    ctypes.string_at(0)


def abort() -> None:
    os.abort()


def leave() -> None:
    os._exit(3)


def exit_politely() -> None:
    sys.exit(4)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def rust_runs_out_of_memory() -> None:
    os.write(2, b"memory allocation of 8589934592 bytes failed\n")
    os.abort()


def sleep(seconds: float = 60.0) -> None:
    time.sleep(seconds)


def sleep_with_the_interpreter_locked() -> None:
    ctypes.PyDLL(None).sleep(60)


def spin() -> None:
    while True:
        pass


def sleep_in_a_child() -> None:
    subprocess.run(["sleep", "60"], check=True)


def eat_memory() -> None:
    hoard = bytearray()
    while True:
        hoard += bytes(1 << 24)


def eat_memory_in_c() -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    while block := libc.malloc(ctypes.c_size_t(1 << 24)):
        ctypes.memset(block, 1, 1 << 24)
    os.abort()  # as a native library does that is given no memory


def hold_memory(size: int) -> int:
    return len(bytearray(b"x") * size)


def chatter() -> str:
    print("to standard output")
    os.write(1, b"also to standard output")
    print("to standard error", file=sys.stderr)
    for _ in range(200):
        try:
            os.write(2, b"from native code " * 100)
        except BlockingIOError:
            break
    return "said"


def fail(message: str) -> None:
    raise ZeroDivisionError(message)


def eat_memory_and_wrap() -> None:
    try:
        eat_memory()
    except MemoryError as error:
        raise CorruptDocument("cannot be read") from error


def refuse(document: str | None) -> None:
    raise EncryptedDocument("needs a password", document=document)


class OddError(RagError):
    """Cannot be rebuilt from what it pickles."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return OddError, (1,)


def fail_oddly() -> None:
    raise OddError(7, "of nine")


def unpicklable() -> object:
    return lambda: None


class Unreadable:
    """Pickles, but does not come back."""

    def __reduce__(self) -> tuple[object, ...]:
        return pickle.loads, (b"not a pickle",)


def unreadable() -> Unreadable:
    return Unreadable()


def length(data: bytes) -> int:
    return len(data)


def echo(data: bytes) -> bytes:
    return data


def temporary_folder() -> str:
    import tempfile

    return tempfile.mkdtemp()


def loaded_modules() -> list[str]:
    return sorted(sys.modules)


def main_file() -> str | None:
    return getattr(sys.modules["__main__"], "__file__", None)


def variable(name: str) -> str | None:
    return os.environ.get(name)
