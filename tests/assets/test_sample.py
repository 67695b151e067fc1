"""The sample corpus: complete, small, and nothing in it fails."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.corpus_config import CorpusConfig
from rag_assets.sample_corpus import copy_sample
from rag_assets.sources import CorpusFolder, SourceFile, Sources
from rag_chunker.heading_aware import HeadingAwareChunker
from rag_chunker.parsing.media_type import media_type_of
from rag_chunker.parsing.registry import parser_for
from rag_core.errors import StoreError
from rag_core.types import BlockType, Chunk, ParsedDocument, Principal, RequestContext
from tests.assets.conftest import Project
from tests.assets.test_embedding_text import differing, rows

SCANS = {
    "acme/handbook/safety/crane-3-notice.jpg": ["Crane 3 out of service", "extension 318"],
    "acme/products/support/invoice-2026-0417.png": ["Invoice 2026-0417", "EUR 563.50"],
    "nordlicht/policies/aushang-leitwarte.tif": ["Akku zu laden", "Mühlstraße"],
}
"""Pictures, with words on them in reading order."""

Sample = dict[str, tuple[CorpusConfig, ParsedDocument]]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    root = tmp_path_factory.mktemp("sources")
    copy_sample(root)
    return Sources(root)


@pytest.fixture(scope="module")
def sample(sources: Sources) -> Sample:
    return {
        file.document_id: (folder.config(), parse(folder, file))
        for folder in sources.corpora().corpora
        for file in folder.files(folder.config())
        if isinstance(file, SourceFile)
    }


def parse(folder: CorpusFolder, file: SourceFile) -> ParsedDocument:
    data = folder.read(file)
    return parser_for(media_type_of(file.path, data)).parse(file.source(), data)


def chunks_of(config: CorpusConfig, parsed: ParsedDocument) -> list[Chunk]:
    chunker = HeadingAwareChunker(
        max_tokens=config.chunker.max_tokens, overlap_tokens=config.chunker.overlap_tokens
    )
    who = Principal(id="sample", acl_labels=config.acl_labels)
    ctx = RequestContext(tenant_id=parsed.document.tenant_id, principal=who)
    return asyncio.run(chunker.chunk(ctx, parsed))


def test_two_tenants_with_three_corpora_and_nothing_refused(sources: Sources) -> None:
    inventory = sources.corpora()
    assert [folder.partition_key for folder in inventory.corpora] == [
        "acme/handbook",
        "acme/products",
        "nordlicht/policies",
    ]
    assert inventory.skipped == ()
    found = [file for folder in inventory.corpora for file in folder.files(folder.config())]
    assert [file for file in found if not isinstance(file, SourceFile)] == []


def test_the_sample_is_small(tmp_path: Path) -> None:
    assert sum(path.stat().st_size for path in copy_sample(tmp_path)) < 600_000


def test_every_document_has_text_and_labels(sample: Sample) -> None:
    assert len(sample) >= 20
    without_text = [name for name, (_, parsed) in sample.items() if not parsed.text.strip()]
    assert set(without_text) == {
        "acme/products/ap-200/certificates.zip",  # it has that of its members
        *SCANS,
    }
    unseen = [
        name
        for name, (config, _) in sample.items()
        if not config.labels_for(name.split("/", maxsplit=2)[2])
    ]
    assert unseen == []


def test_it_shows_every_kind_of_block_and_deep_headings(sample: Sample) -> None:
    blocks = [block for _, parsed in sample.values() for block in parsed.blocks]
    missing = {*BlockType} - {block.type for block in blocks} - {BlockType.other}
    assert missing == set()
    assert {block.level for block in blocks if block.level} == {1, 2, 3, 4, 5, 6}


def test_hidden_and_navigation_parts_of_its_pages_are_not_in_the_text(sample: Sample) -> None:
    hidden = ["utm_source", "We use cookies", "Impressum", "Draft:", "nicht veröffentlichen"]
    text = "\n".join(parsed.text for _, parsed in sample.values())
    assert [phrase for phrase in hidden if phrase in text] == []


@pytest.mark.parametrize(
    "name",
    ["acme/handbook/travel-and-expenses.md", "acme/products/ap-200/spare-parts.md"],
)
def test_its_long_tables_go_on_in_several_chunks_with_their_header(
    sample: Sample, name: str
) -> None:
    config, parsed = sample[name]
    header = max(
        (block.attributes for block in parsed.blocks if block.type is BlockType.table_row),
        key=lambda attributes: len(str(attributes["table_header"])),
    )["table_header"]
    with_header = [
        chunk for chunk in chunks_of(config, parsed) if str(header) in (chunk.content or "")
    ]
    assert len(with_header) >= 2


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("acme/handbook/working-time.md", "Annual leave"),
        ("acme/products/ap-200/manual.md", "4 Commissioning"),
    ],
)
def test_its_long_sections_need_more_than_one_chunk(
    sample: Sample, name: str, heading: str
) -> None:
    chunks = chunks_of(*sample[name])
    (parent,) = [chunk.id for chunk in chunks if chunk.content == heading]
    body = [c for c in chunks if c.parent_id == parent and c.metadata["kind"] == "body"]
    assert len(body) >= 2
    assert body[1].overlap > 0


FORMATS = {
    "csv", "docx", "eml", "epub", "html", "ipynb", "jpg", "json", "jsonl", "md", "msg", "ods",
    "odt", "pdf", "png", "pptx", "py", "rst", "rtf", "tif", "tsv", "txt", "xls", "xlsb", "xlsx",
    "zip",
}  # fmt: skip
WITHOUT_HEADINGS = {"csv", "jsonl", "tsv", "txt"}
"""One table, or plain text."""


@pytest.fixture(scope="module")
def materialized(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("project")
    with dg.DagsterInstance.ephemeral(tempdir=str(folder / "dagster")) as instance:
        project = Project(folder, instance)
        copy_sample(project.sources)
        for key in ("acme/handbook", "acme/products", "nordlicht/policies"):
            assert project.materialize(key).success
        yield project


def test_every_format_is_materialized_and_none_fails(materialized: Project) -> None:
    documents = materialized.query("SELECT document_id, status FROM documents")
    assert {suffix(name) for name, _ in documents} == FORMATS
    without_text = [(name, status) for name, status in documents if status != "ok"]
    assert without_text == [("acme/products/ap-200/certificates.zip", "empty")]
    assert materialized.query("SELECT * FROM failed_documents") == []


def test_headings_of_every_format_are_the_heading_path_of_its_chunks(
    materialized: Project,
) -> None:
    paths = defaultdict(set)
    for name, path in materialized.query("SELECT document_id, heading_path FROM chunk_context"):
        paths[suffix(name)].update(path)
    assert {kind for kind in paths if not paths[kind]} == WITHOUT_HEADINGS
    expected = {
        "docx": {"Mentoring guide", "Week one", "Einkaufsrichtlinie", "Directives"},
        "eml": {"Crane course moved to 21 May"},
        "epub": {"How a well grows old", "Iron and manganese"},
        "ipynb": {"Evaluating a well test", "Fit after Jacob"},
        "json": {"dry_run_protection", "ramps"},
        "msg": {"Field report: waterworks Halden"},
        "ods": {"Prices 2026"},
        "odt": {"Visitor guide", "Deliveries", "Brandschutzordnung"},
        "pdf": {"AP-200 data sheet", "Electrical supply", "Netz", "Neue Anschlüsse"},
        "pptx": {"Orders and deliveries", "Where we lose time"},
        "py": {"def read_state", "class Recorder"},
        "rst": {"Integrating the PC-4 into SCADA", "Network", "Alarms"},
        "rtf": {"Works agreement on shift work", "Rest", "People over 55"},
        "xls": {"Pumps"},
        "xlsb": {"Pumps", "Seals"},
        "xlsx": {"Head", "Acceptance tests"},
    }
    assert {kind: titles - paths[kind] for kind, titles in expected.items()} == {
        kind: set() for kind in expected
    }


def test_files_inside_others_are_documents_of_their_own(materialized: Project) -> None:
    inside = "SELECT document_id FROM documents WHERE contains(document_id, '!/') ORDER BY 1"
    assert [name.rpartition("/")[2] for (name,) in materialized.query(inside)] == [
        "programme.csv",
        "declaration-of-conformity.docx",
        "test-certificates.csv",
    ]


def test_two_columns_are_read_one_after_the_other(materialized: Project) -> None:
    (text,) = materialized.query(
        "SELECT string_agg(text, ' ' ORDER BY index) FROM blocks WHERE document_id = ?",
        "nordlicht/policies/mitteilungsblatt.pdf",
    )[0]
    read_so = [
        "wird am Einlass abgegeben",
        "Wärmepreis",
        "Lindenstraße",
        "Am Anger",
        "Jana Petersen",
    ]
    places = [text.find(part) for part in read_so]
    assert places == sorted(places)
    assert -1 not in places


def test_scans_and_a_photo_become_chunks_with_the_words_on_them(materialized: Project) -> None:
    for name, words in SCANS.items():
        (text,) = materialized.query(
            "SELECT string_agg(content, ' ' ORDER BY position) FROM chunks WHERE document_id = ?",
            name,
        )[0]
        places = [text.replace("\n", " ").find(word) for word in words]
        assert -1 not in places, (name, text)
        assert places == sorted(places)


def test_titles_on_scans_are_the_heading_path_of_what_stands_below(materialized: Project) -> None:
    expected = {
        ("acme/handbook/safety/crane-3-notice.jpg", "extension 318"): ["Crane 3 out of service"],
        ("acme/products/support/invoice-2026-0417.png", "EUR 563.50"): [
            "Hallgren Bearings AB",
            "Invoice 2026-0417",
        ],
        ("nordlicht/policies/aushang-leitwarte.tif", "Akku zu"): ["Aushang der Leitwarte"],
        ("nordlicht/policies/hausanschluss.pdf", "Am Anger 17"): [
            "Antrag auf einen Hausanschluss",
            "Anlage 1: Einverständnis des Eigentümers",
        ],
    }
    found = {
        (name, words): materialized.query(
            "SELECT heading_path FROM chunk_context WHERE document_id = ? AND contains(content, ?)",
            name,
            words,
        )
        for name, words in expected
    }
    without_spaces = {  # RapidOCR leaves some of them out
        place: [["".join(title.split()) for title in path] for (path,) in rows]
        for place, rows in found.items()
    }
    assert without_spaces == {
        place: [["".join(title.split()) for title in path]] for place, path in expected.items()
    }


def test_a_scanned_page_stands_behind_the_page_of_text_before_it(materialized: Project) -> None:
    rows = materialized.query(
        "SELECT heading_path, content FROM chunks WHERE kind = 'body' AND document_id = ? "
        "ORDER BY position",
        "nordlicht/policies/hausanschluss.pdf",
    )
    text = " ".join(content for _, content in rows)
    assert text.index("drei Monate gültig") < text.index("Am Anger 17") < text.index("14 Metern")
    assert [path[:1] for path, _ in rows] == [["Antrag auf einen Hausanschluss"]] * len(rows)


def test_every_page_of_the_sample_is_read_and_none_in_doubt(materialized: Project) -> None:
    pages = materialized.query(
        "SELECT status, low_confidence, count(*) FROM ocr_pages GROUP BY ALL"
    )
    assert pages == [("ok", False, 4)]


def test_text_to_embed_is_what_the_function_gives_for_every_chunk(materialized: Project) -> None:
    assert {budget for *_, budget in rows(materialized)} == {512, 640}  # of 384 and 512 a chunk
    assert differing(materialized) == []


def suffix(document_id: str) -> str:
    return document_id.rpartition(".")[2]


def test_a_tenant_that_is_there_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "acme/mine.md"
    mine.parent.mkdir()
    mine.write_text("mine")
    written = copy_sample(tmp_path)
    assert {path.relative_to(tmp_path).parts[0] for path in written} == {"nordlicht"}
    assert [path.name for path in (tmp_path / "acme").iterdir()] == ["mine.md"]
    assert copy_sample(tmp_path) == []


def test_a_place_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can be written"):
        copy_sample(tmp_path / "file/sources")
