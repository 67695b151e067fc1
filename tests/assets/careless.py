"""A chunker as a careless person might write one, installed as plug-ins are."""

import textwrap
from pathlib import Path

NAME = "careless"
BREAKS = ("budget", "slices")
"""The checks that its chunks fail."""


def install(site: Path) -> None:
    """Make `careless` known to every Python that has `site` on its path: its chunks are four times
    the budget, and the last one of each document is missing."""
    info = site / "careless_chunker-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: careless-chunker\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[rag_chunker.chunkers]\n{NAME} = careless_chunker:CarelessChunker\n"
    )
    (site / "careless_chunker.py").write_text(
        textwrap.dedent(
            """
            from rag_chunker import HeadingAwareChunker

            class CarelessChunker(HeadingAwareChunker):
                def __init__(self, max_tokens, overlap_tokens, token_counter):
                    super().__init__(4 * max_tokens, overlap_tokens, token_counter)

                async def chunk(self, ctx, parsed):
                    return (await super().chunk(ctx, parsed))[:-1]
            """
        )
    )
