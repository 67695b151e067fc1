"""Plays a scenario: a JSON file that tells what happens to source files and what must hold then.

Format `rag-chunker-scenario/1`: `{"default": {"tenant", "corpus"}, "steps": [{"op": ...}, ...]}`.
Steps about files are done here (`write delete rename mkdir mkfifo socket symlink touch
write_outside`); every other one is a method of a driver, called with the world and the step.
"""

import base64
import contextlib
import json
import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Step = dict[str, Any]
Pair = tuple[str, str]


class World:
    """A temporary folder with the files of tenants and corpora in it.

    `src/t<i>/docs<j>` holds the files of a pair, so that odd names never become paths here;
    `outside/` lies outside every corpus. In a link's target, `@x` means `<folder>/x`.
    """

    def __init__(self, scenario: dict[str, Any], folder: Path, files: Path) -> None:
        self.base = folder
        self.default: dict[str, str] = scenario.get("default", {})
        self.map: dict[str, dict[str, int]] = {}
        self.acl: dict[tuple[str, str, str], list[str]] = {}
        self._files = files

    def pair(self, step: Step) -> Pair:
        """Tenant and corpus that a step is about."""
        return (
            step.get("tenant", self.default.get("tenant", "t1")),
            step.get("corpus", self.default.get("corpus", "docs")),
        )

    def root(self, tenant: str, corpus: str) -> Path:
        """The folder of a pair, made if need be."""
        corpora = self.map.setdefault(tenant, {})
        number = corpora.setdefault(corpus, len(corpora))
        folder = self.base / "src" / f"t{list(self.map).index(tenant)}" / f"docs{number or ''}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def do(self, step: Step) -> bool:
        """Do a step about files; False if it is not one."""
        act = _FILE_STEPS.get(step["op"])
        if act is None:
            return False
        root = self.root(*self.pair(step))
        path = root / step["path"] if "path" in step else root
        act(self, step, root, path)
        if "mtime_ns" in step:
            os.utime(path, ns=(step["mtime_ns"], step["mtime_ns"]))
        return True

    def data(self, step: Step) -> bytes:
        """The bytes that a step writes."""
        if "from" in step:
            return (self._files / step["from"]).read_bytes()
        if "b64" in step:
            return base64.b64decode(step["b64"])
        return step.get("text", "").encode()

    def write(self, step: Step, root: Path, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data(step))
        if "acl" in step:
            self.acl[(*self.pair(step), step["path"])] = step["acl"]

    def write_outside(self, step: Step, root: Path, path: Path) -> None:
        outside = self.base / self._beside(step["path"], root)
        outside.parent.mkdir(parents=True, exist_ok=True)
        outside.write_bytes(self.data(step))

    def symlink(self, step: Step, root: Path, path: Path) -> None:
        target = step["target"]
        if target.startswith("@"):
            target = str(self.base / self._beside(target[1:], root))
        path.symlink_to(target)

    def _beside(self, path: str, root: Path) -> str:
        """`docs-evil/x` is in a neighbour of the root whose name begins like the root's."""
        evil = root.with_name(f"{root.name}-evil").relative_to(self.base)
        return path.replace("docs-evil", str(evil), 1)


def _rename(world: World, step: Step, root: Path, path: Path) -> None:
    target = root / step["to"]
    target.parent.mkdir(parents=True, exist_ok=True)
    path.rename(target)


def _socket(world: World, step: Step, root: Path, path: Path) -> None:
    # A socket's path is limited to about 100 bytes, so that only its name may be given.
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as bound:
        bound.bind(path.name)


_FILE_STEPS: dict[str, Callable[[World, Step, Path, Path], None]] = {
    "write": World.write,
    "write_outside": World.write_outside,
    "symlink": World.symlink,
    "delete": lambda world, step, root, path: path.unlink(),
    "rename": _rename,
    "mkdir": lambda world, step, root, path: path.mkdir(parents=True, exist_ok=True),
    "mkfifo": lambda world, step, root, path: os.mkfifo(path),
    "socket": _socket,
    "touch": lambda world, step, root, path: None,
}


def play(path: Path, driver: Any, folder: Path | None = None) -> None:
    """Play the scenario file `path`, step by step, in `folder` or a temporary one."""
    scenario = json.loads(path.read_text(encoding="utf-8"))
    with contextlib.ExitStack() as cleanup:
        if folder is None:
            folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="scenario-")))
        world = World(scenario, folder, path.parent.parent)
        for step in scenario["steps"]:
            if not world.do(step):
                getattr(driver, {"assert": "assert_"}.get(step["op"], step["op"]))(world, step)
