"""Which files lie below this folder, and which must not be read? Local or any fsspec URL.

A local tree never leaves its root: a link counts by where it really leads, and what is neither a
file nor a folder (a pipe, a socket, a device) is named and left alone, without opening it.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal, NamedTuple, Protocol

from rag_core.errors import StoreError

__all__ = ["Child", "Tree", "in_order", "is_url", "printable", "tree_at", "walk", "why"]


class Child(NamedTuple):
    """What a folder holds under one name; from `walk`, a whole relative path is its name."""

    name: str
    kind: Literal["file", "folder", "skipped"]
    size: int = 0
    """Bytes, of a file."""
    version: str = ""
    """Of a file: changes when it is written. A hint, never proof."""
    reason: str = ""
    """Why it was skipped."""
    unseen: bool = False
    """Skipped because it could not be looked at, so that there may be more in it."""


class Tree(Protocol):
    """A folder with everything below it. Paths are relative to it, `/` between names.

    All methods raise `OSError` and nothing else if the file or folder cannot be read.
    """

    def children(self, folder: str) -> list[Child]:
        """What lies directly in a folder, in any order."""

    def size(self, path: str) -> int:
        """Bytes of a file."""

    def read(self, path: str, at_most: int) -> bytes:
        """The first `at_most` bytes of a file."""


def tree_at(root: str) -> Tree:
    """The tree below a local path or an fsspec URL.

    Raises `StoreError` for a URL that fsspec cannot open.
    """
    return _RemoteTree(root) if is_url(root) else _LocalTree(root)


def is_url(root: str) -> bool:
    """True for an fsspec URL, False for a path of the local file system."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.:-]*://", root) is not None


def walk(tree: Tree) -> Iterator[Child]:
    """All files below the tree's root, and what was skipped, sorted by path (code points).

    Streams: holds the names of one folder per level, never those of the whole tree. Hidden files
    and folders and the leftovers of editors and operating systems are passed over in silence.
    Raises `OSError` if the root itself cannot be listed; a folder below it that cannot is yielded
    as skipped and `unseen`.
    """
    levels = [("", in_order(tree.children("")))]
    while levels:
        prefix, children = levels[-1]
        child = next(children, None)
        if child is None:
            levels.pop()
            continue
        path = prefix + child.name
        if not _is_utf8(child.name):
            yield Child(printable(path), "skipped", reason="its name is not UTF-8: rename it")
        elif child.kind == "folder":
            try:
                levels.append((f"{path}/", in_order(tree.children(path))))
            except OSError as error:
                reason = f"unreadable folder: {why(error)}"
                yield Child(path, "skipped", reason=reason, unseen=True)
        else:
            yield child._replace(name=path) if prefix else child


def why(error: OSError) -> str:
    """An operating system's error in its own words, without the path."""
    return (error.strerror or str(error) or type(error).__name__).lower()


def printable(path: str) -> str:
    """A path as valid Unicode: bytes that are not UTF-8 show as `\\xNN`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def in_order(children: list[Child]) -> Iterator[Child]:
    """What a folder holds, sorted, without what is hidden or left over."""
    # With "/" behind a folder's name, walking depth first gives whole paths in sorted order.
    wanted = [child for child in children if not _is_leftover(child)]
    return iter(sorted(wanted, key=lambda c: f"{c.name}/" if c.kind == "folder" else c.name))


def _is_leftover(child: Child) -> bool:
    leftovers = _LEFTOVER_FOLDER if child.kind == "folder" else _LEFTOVER
    return leftovers.match(child.name) is not None


_LEFTOVER_FOLDER = re.compile(r"\.|__macosx\Z", re.IGNORECASE)
_LEFTOVER = re.compile(
    r"\.|~\$|(?:__macosx|thumbs\.db|ehthumbs\.db|desktop\.ini|icon\r|\#(?s:.*)\#"
    r"|(?s:.*)(?:~|\.tmp|\.part|\.crdownload))\Z",
    re.IGNORECASE,
)


def _is_utf8(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class _LocalTree:
    def __init__(self, root: str) -> None:
        self._folder: tuple[str, int] | None = None
        """The folder that was read from last, and its descriptor."""
        self._lock = Lock()
        self._root = root
        self._real_root = os.path.realpath(root)
        self._real_prefix = os.path.join(self._real_root, "")

    def __del__(self) -> None:
        self._forget_folder()

    def __reduce__(self) -> tuple[type["_LocalTree"], tuple[str]]:
        return _LocalTree, (self._root,)

    def children(self, folder: str) -> list[Child]:
        with os.scandir(os.path.join(self._root, folder)) as entries:
            return [child for entry in entries if (child := self._child(entry))]

    def size(self, path: str) -> int:
        return os.stat(self._resolve(path)).st_size

    def read(self, path: str, at_most: int) -> bytes:
        descriptor = self._open(path)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, f"not a file but a {_kind(status.st_mode)}")
            # One byte more than it says, so that the end shows without another call.
            data = os.read(descriptor, min(status.st_size + 1, at_most))
            if len(data) != status.st_size:
                data += _rest(descriptor, at_most - len(data))
            return data
        finally:
            os.close(descriptor)

    def _open(self, path: str) -> int:
        """A descriptor of a file inside the root.

        Opened by its name in a folder that is open already and was checked to lie inside, where
        the system can do that: so no link can take the place of any part between check and
        opening, and the check, which costs as much as opening a file, is done once a folder.
        """
        folder, _, name = path.rpartition("/")
        with self._lock:
            try:
                if self._folder is None or self._folder[0] != folder:
                    self._open_folder(folder)
                if self._folder is not None:
                    return os.open(name, _READ, dir_fd=self._folder[1])
            except PermissionError:
                raise
            except OSError:  # also a link, which may lead to a file of this tree
                self._forget_folder()
        return os.open(self._resolve(path), _READ)

    def _open_folder(self, folder: str) -> None:
        self._forget_folder()
        if os.open not in os.supports_dir_fd:
            return
        descriptor = os.open(os.path.join(self._root, folder), os.O_RDONLY | os.O_DIRECTORY)
        try:
            real = os.path.join(os.readlink(f"/proc/self/fd/{descriptor}"), "")
        except OSError:  # no /proc here
            os.close(descriptor)
            return
        if not real.startswith(self._real_prefix):
            os.close(descriptor)
            raise _leads_out()
        self._folder = folder, descriptor

    def _forget_folder(self) -> None:
        if self._folder is not None:
            os.close(self._folder[1])
            self._folder = None

    def _resolve(self, path: str) -> str:
        whole = os.path.join(self._root, path)
        try:
            real = os.path.realpath(whole, strict=True)
        except FileNotFoundError:
            if os.path.islink(whole):
                raise OSError(errno.ENOLINK, "broken link") from None
            raise
        if not self._holds(real):
            raise _leads_out()
        return real

    def _holds(self, real: str) -> bool:
        return os.path.commonpath([self._real_root, real]) == self._real_root

    def _child(self, entry: os.DirEntry[str]) -> Child | None:
        try:
            if entry.is_symlink():
                return self._link(entry)
            if entry.is_dir(follow_symlinks=False):
                return Child(entry.name, "folder")
            return _file(entry.name, entry.stat(follow_symlinks=False))
        except FileNotFoundError:  # gone since it was listed, as if it had gone before
            return None
        except OSError as error:
            return Child(entry.name, "skipped", reason=f"unreadable: {why(error)}", unseen=True)

    def _link(self, entry: os.DirEntry[str]) -> Child:
        try:
            real = os.path.realpath(entry.path, strict=True)
        except FileNotFoundError:
            return Child(entry.name, "skipped", reason="broken link")
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            return Child(entry.name, "skipped", reason="link loop")
        if not self._holds(real):
            return Child(entry.name, "skipped", reason="outside root: a link that leads out of it")
        if os.path.isdir(real):
            # Its files lie in the same tree and are found there: once, whatever links in circles.
            reason = "link to a folder: not followed, its files are read where they lie"
            return Child(entry.name, "skipped", reason=reason)
        return _file(entry.name, os.stat(real))


# Without O_NONBLOCK, opening a pipe that took the file's place would wait for ever.
_READ = os.O_RDONLY | sum(getattr(os, f, 0) for f in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"))


def _rest(descriptor: int, at_most: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(at_most)


def _leads_out() -> OSError:
    return PermissionError(errno.EACCES, "outside root: it links out of the corpus")


def _file(name: str, status: os.stat_result) -> Child:
    if not stat.S_ISREG(status.st_mode):
        return Child(name, "skipped", reason=f"not a file but a {_kind(status.st_mode)}")
    # The change time moves even where a writer puts the modification time back.
    version = f"{status.st_mtime_ns}-{status.st_ctime_ns}"
    return Child(name, "file", status.st_size, version)


_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "special file")


class _RemoteTree:
    def __init__(self, url: str) -> None:
        import fsspec  # type: ignore[import-untyped]  # ships no types

        try:
            self._fs, path = fsspec.core.url_to_fs(url)
        except (ValueError, ImportError, OSError) as error:
            raise StoreError(f"cannot open the sources at {url!r}: {error}") from error
        self._root = path.rstrip("/")

    def children(self, folder: str) -> list[Child]:
        whole = f"{self._root}/{folder}".rstrip("/")
        with _as_os_error():
            self._fs.invalidate_cache(whole)
            found = self._fs.ls(whole, detail=True)
        # Asked about a file, `ls` gives that file; object stores list a folder's marker in itself.
        inside = [info for info in found if str(info["name"]).rstrip("/") != whole]
        if not inside and any(info["type"] == "file" and info["name"] == whole for info in found):
            raise NotADirectoryError(errno.ENOTDIR, "not a folder")
        return [_remote_child(info) for info in inside]

    def size(self, path: str) -> int:
        with _as_os_error():
            return int(self._fs.info(f"{self._root}/{path}")["size"] or 0)

    def read(self, path: str, at_most: int) -> bytes:
        with _as_os_error():
            return bytes(self._fs.cat_file(f"{self._root}/{path}", end=at_most))


def _remote_child(info: dict[str, Any]) -> Child:
    name = str(info["name"]).rstrip("/").rsplit("/", 1)[-1]
    if name in {"", ".", ".."}:
        return Child(name or "/", "skipped", reason="not a name that a file can have")
    if info["type"] == "directory":
        return Child(name, "folder")
    if info["type"] != "file":
        return Child(name, "skipped", reason=f"not a file but a {info['type']}")
    version = "-".join(str(info[key]) for key in _VERSIONS if info.get(key))
    return Child(name, "file", int(info.get("size") or 0), version)


_VERSIONS = ("ETag", "etag", "md5", "mtime", "LastModified", "last_modified", "updated", "created")
"""What fsspec's file systems call the things that change when a file is written."""


@contextmanager
def _as_os_error() -> Iterator[None]:
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # each backend raises what its own HTTP library does
        raise OSError(errno.EIO, f"{type(error).__name__}: {error}") from error
