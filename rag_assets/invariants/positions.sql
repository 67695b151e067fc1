-- The positions of a document's chunks are 0, 1, 2, ... and as many as the document lists.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, and tell its author.
SELECT document_id, position, chunk_id, 'expected position ' || expected AS what
FROM (
    SELECT document_id, position, id AS chunk_id,
        row_number() OVER (PARTITION BY document_id ORDER BY position) - 1 AS expected
    FROM checked
)
WHERE position <> expected
UNION ALL
SELECT document_id, NULL, NULL, 'lists ' || n_chunks || ' chunks, has ' || coalesce(n, 0)
FROM chunked_documents
SEMI JOIN scope USING (document_id)
LEFT JOIN (SELECT document_id, count(*) AS n FROM checked GROUP BY document_id) USING (document_id)
WHERE n_chunks <> coalesce(n, 0)
