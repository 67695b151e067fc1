"""`python -m rag_chunker.cli`, for where `ragctl` is not on the path."""

import sys

from rag_chunker.cli import main

sys.exit(main())
