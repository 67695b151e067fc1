"""Where do documents to try things out with come from? A small corpus ships in the package."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from rag_core.errors import StoreError

__all__ = ["copy_sample"]


def copy_sample(destination: Path) -> list[Path]:
    """Copies the sample's tenants into a sources folder; the files written, sorted.

    A tenant that is there already is left exactly as it is, so that nobody's files are ever
    overwritten and a deleted sample document stays deleted. Raises `StoreError` if the folder
    cannot be written.
    """
    written: list[Path] = []
    try:
        for tenant in files("rag_assets").joinpath("sample").iterdir():
            target = destination / tenant.name
            if tenant.is_dir() and not target.exists() and not target.is_symlink():
                written += _copy(tenant, target)
    except OSError as error:
        message = f"cannot copy the sample: {error}; choose a folder that can be written"
        raise StoreError(message, document=str(destination)) from error
    return sorted(written)


def _copy(folder: Traversable, target: Path) -> list[Path]:
    target.mkdir(parents=True)
    written: list[Path] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            written += _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())
            written.append(target / entry.name)
    return written
