"""What every parser promises: subclass `ParserContract`, give it a parser and samples."""

import hashlib
import pickle
import random
from collections.abc import Iterator

import pytest

from rag_core.errors import ParseError
from rag_core.spi import Parser
from rag_core.types import (
    Block,
    BlockType,
    CorpusId,
    DocumentId,
    ParsedDocument,
    Source,
    TenantId,
)

_NEVER_IN_TEXT = frozenset({"\0", "\ufeff", *map(chr, range(0xD800, 0xE000))})


class ParserContract:
    """Promises that a parser keeps for any bytes.

        class TestMyParser(ParserContract):
            @pytest.fixture
            def parser(self):
                return MyParser()

            @pytest.fixture
            def samples(self):
                return [("letter.xyz", Path("letter.xyz").read_bytes())]

    `samples` are good documents, at least one, as pairs of file name and bytes. Hostile variants
    are made from them.
    """

    @pytest.fixture
    def parser(self) -> Parser:
        """Override: the parser under test."""
        raise NotImplementedError("override the fixture `parser`")

    @pytest.fixture
    def samples(self) -> list[tuple[str, bytes]]:
        """Override: file names and bytes of good documents."""
        raise NotImplementedError("override the fixture `samples`")

    @pytest.fixture
    def parsed(
        self, parser: Parser, samples: list[tuple[str, bytes]]
    ) -> list[tuple[Source, bytes, ParsedDocument]]:
        assert samples, "give at least one sample"
        sources = [(_source(name), data) for name, data in samples]
        return [(source, data, parser.parse(source, data)) for source, data in sources]

    def test_every_sample_gives_visible_text(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        assert [source.uri for source, _, document in parsed if not document.text.strip()] == []

    def test_the_same_bytes_give_the_same_blocks(
        self, parser: Parser, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        changed = [s.uri for s, data, document in parsed if parser.parse(s, data) != document]
        assert changed == []

    def test_owner_and_identity_come_from_the_source_alone(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        for source, _, result in parsed:
            document = result.document
            assert document.id == source.document_id
            assert document.tenant_id == source.tenant_id
            assert document.corpus_id == source.corpus_id
            assert document.source_uri == source.uri

    def test_the_content_hash_is_the_sha256_of_the_bytes(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        for _, data, result in parsed:
            assert result.document.content_hash == hashlib.sha256(data).hexdigest()

    def test_no_block_holds_nul_lone_surrogate_or_byte_order_mark(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        assert list(_offending_blocks(parsed)) == []

    def test_exactly_headings_have_a_level_from_1_to_6(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        wrong = [block for block in _blocks(parsed) if not _level_fits(block)]
        assert wrong == []

    def test_rows_of_a_table_stand_together_under_one_header(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        for _, _, result in parsed:
            assert _broken_tables(result.blocks) == []

    def test_pages_are_numbered_and_blocks_point_to_them(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        for _, _, result in parsed:
            numbers = [page.number for page in result.pages]
            assert numbers == sorted(set(numbers))
            named = {
                block.attributes["page"] for block in result.blocks if "page" in block.attributes
            }
            assert not numbers or named <= set(numbers)

    def test_a_parsed_document_survives_json(
        self, parsed: list[tuple[Source, bytes, ParsedDocument]]
    ) -> None:
        for _, _, result in parsed:
            assert ParsedDocument.model_validate_json(result.model_dump_json()) == result

    def test_hostile_bytes_give_a_document_or_a_parse_error(
        self, parser: Parser, samples: list[tuple[str, bytes]]
    ) -> None:
        for name, data in _hostile(samples):
            source = _source(name)
            try:
                result = parser.parse(source, data)
            except ParseError as error:
                _assert_names_its_document_in_any_process(error)
            else:
                assert list(_offending_blocks([(source, data, result)])) == []
                assert _broken_tables(result.blocks) == []

    def test_the_version_is_a_stable_text(self, parser: Parser) -> None:
        version = parser.version()
        assert isinstance(version, str)
        assert version.strip()
        assert type(parser)().version() == version


def _assert_names_its_document_in_any_process(error: ParseError) -> None:
    assert error.document, f"the error does not name the document: {error!r}"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), str(again)) == (type(error), str(error))


def _source(name: str) -> Source:
    return Source(
        document_id=DocumentId(f"acme/handbook/{name}"),
        tenant_id=TenantId("acme"),
        corpus_id=CorpusId("handbook"),
        uri=f"file:///sources/acme/handbook/{name}",
    )


def _blocks(parsed: list[tuple[Source, bytes, ParsedDocument]]) -> Iterator[Block]:
    for _, _, result in parsed:
        yield from result.blocks


def _offending_blocks(parsed: list[tuple[Source, bytes, ParsedDocument]]) -> Iterator[Block]:
    return (block for block in _blocks(parsed) if not _NEVER_IN_TEXT.isdisjoint(block.text))


def _level_fits(block: Block) -> bool:
    if block.type is not BlockType.heading:
        return block.level is None
    return block.level is not None and 1 <= block.level <= 6


def _broken_tables(blocks: tuple[Block, ...]) -> list[object]:
    """Numbers of tables whose rows are torn apart or name different headers."""
    broken: list[object] = []
    headers: dict[object, object] = {}
    current: object = None
    for block in blocks:
        if block.type is not BlockType.table_row:
            current = None
            continue
        table, header = block.attributes.get("table"), block.attributes.get("table_header")
        is_torn = table in headers and table != current
        if table is None or is_torn or headers.setdefault(table, header) != header:
            broken.append(table)
        current = table
    return broken


def _hostile(samples: list[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Nothing, noise, halves, flipped bits, and noise under every sample's name."""
    noise = random.Random(20240501)  # noqa: S311 - the same noise every time
    for name, data in samples:
        yield name, b""
        yield name, bytes(64)
        yield name, noise.randbytes(2000)
        for share in (0.1, 0.5, 0.9):
            yield name, data[: int(len(data) * share)]
        yield name, data + noise.randbytes(200)
        for _ in range(5):
            flipped = bytearray(data)
            for _ in range(1 + len(flipped) // 500):
                if flipped:
                    flipped[noise.randrange(len(flipped))] ^= 1 << noise.randrange(8)
            yield name, bytes(flipped)
