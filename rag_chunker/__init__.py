"""One document: bytes to blocks to chunks. No Dagster, no database.

Importing this package loads no tokenizer, parser or OCR engine: they load at first use.
"""

