"""`ragctl parse`: the blocks of a file, for people and for programs."""

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from rag_chunker.cli import cli
from rag_chunker.cli.preview import print_summary
from rag_core.testing.builders import make_document
from rag_core.types import Block, BlockType, Page

_NOTES = "# Notes\n\nFirst words.\n\n## Code\n\n```python\nx = 1\n```\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text(_NOTES, "utf-8")
    return path


def test_json_gives_type_level_text_and_attributes_of_each_block(notes: Path) -> None:
    result = CliRunner().invoke(cli, ["parse", str(notes), "--json"])
    assert result.exit_code == 0
    blocks = [Block.model_validate_json(line) for line in result.stdout.splitlines()]
    assert [(block.type, block.level, block.text) for block in blocks] == [
        (BlockType.heading, 1, "Notes"),
        (BlockType.paragraph, None, "First words."),
        (BlockType.heading, 2, "Code"),
        (BlockType.code, None, "x = 1"),
    ]
    assert blocks[3].attributes["language"] == "python"


def test_the_outline_indents_what_stands_below_a_heading(notes: Path) -> None:
    lines = CliRunner().invoke(cli, ["parse", str(notes)]).stdout.splitlines()
    assert lines[-4:] == [
        "# Notes",
        "  paragraph  First words.",
        "  ## Code",
        "    code       x = 1",
    ]


def test_pages_without_text_are_counted_with_their_reasons(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pages = [
        Page(number=n, width=1, height=1, needs_ocr=n < 4, reason="no-text" if n < 3 else "garbled")
        for n in range(1, 13)
    ]
    print_summary(make_document(["words"], pages=pages), 10)
    assert "pages: 12; 3 of 12 pages need OCR (garbled 1, no-text 2)" in capsys.readouterr().out


def test_a_torn_file_is_named_as_the_user_named_it(tmp_path: Path) -> None:
    path = tmp_path / "torn.docx"
    path.write_bytes(b"PK\x03\x04 torn")
    result = CliRunner().invoke(cli, ["parse", str(path)])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {path}: ")
    assert result.stdout == ""


def test_an_archive_says_which_documents_lie_in_it(tmp_path: Path) -> None:
    path = tmp_path / "files.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("guide.md", "# Guide")
        file.writestr("list.csv", "a,b")
    result = CliRunner().invoke(cli, ["parse", str(path)])
    assert result.exit_code == 0
    assert "an archive of 2 documents" in result.stderr
    assert "guide.md, list.csv" in result.stderr
