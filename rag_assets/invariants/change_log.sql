-- The change log, replayed from nothing, gives the chunks that are there.
WITH last AS (
    SELECT document_id, chunk_id, arg_max(change, sequence) AS change
    FROM chunk_changes
    WHERE document_id IN (SELECT document_id FROM scope)
    GROUP BY document_id, chunk_id
)
SELECT coalesce(c.document_id, l.document_id) AS document_id, c.position,
    coalesce(c.id, l.chunk_id) AS chunk_id,
    CASE
        WHEN c.id IS NULL THEN 'is logged, but not there'
        ELSE 'is there, but its last log entry is ' || coalesce(l.change, 'missing')
    END AS what
FROM checked AS c
FULL JOIN (SELECT * FROM last WHERE change <> 'delete') AS l
    ON l.document_id = c.document_id AND l.chunk_id = c.id
WHERE c.id IS NULL OR l.chunk_id IS NULL
