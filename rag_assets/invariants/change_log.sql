-- The change log, replayed from nothing, gives the chunks that are there.
-- If not: another program wrote to chunks.duckdb. Remove that file, the next run builds it
-- anew; whoever follows chunk_changes starts over.
WITH alive AS (
    SELECT document_id, chunk_id
    FROM chunk_changes
    WHERE document_id IN (SELECT document_id FROM scope)
    GROUP BY document_id, chunk_id
    HAVING arg_max(change, sequence) <> 'delete'
)
SELECT document_id, position, id AS chunk_id, 'is there, but not by its last log entry' AS what
FROM checked
ANTI JOIN alive ON alive.document_id = checked.document_id AND alive.chunk_id = checked.id
UNION ALL
SELECT document_id, NULL, chunk_id, 'is logged as there, but is not'
FROM alive
ANTI JOIN checked ON checked.document_id = alive.document_id AND checked.id = alive.chunk_id
