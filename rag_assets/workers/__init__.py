"""Processes in which native parsers and OCR engines may crash, hang or eat memory, at the cost of
one document.

    with WorkerPool(4, seconds=60, memory_bytes=2 << 30) as pool:
        for outcome in pool.run(parse_document, ((source.document_id, (source, data)), ...)):
            outcome.key, outcome.result, outcome.seconds

Four modules: `pool` hands out items, `process` is one worker as its parent sees it, `serve` is
what runs inside it, `deaths` says why one died. It knows documents only by their keys. Linux.

Why our own. Of the permissive pools, those of the standard library, loky (BSD) and mpire (MIT)
fail every item in flight when one worker dies. billiard (BSD) shares one queue, whose lock a
killed worker can take with it (celery/billiard#104), and notices a death after ten seconds.
deadpool-executor (Apache-2.0) comes closest: one death costs one task. It does not tell what the
worker died of, sets no limit that holds while the task runs, and starts workers by
`multiprocessing`, which imports the parent's main module again in each: the whole of Dagster
under its executables.
"""

from rag_assets.workers.pool import Outcome, WorkerPool

__all__ = ["Outcome", "WorkerPool"]
