-- No two chunks of the partition have the same id, no document is listed twice.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, and tell its author.
SELECT document_id, position, id AS chunk_id, 'the id occurs more than once' AS what
FROM chunks
WHERE id IN (
    SELECT id FROM chunks
    WHERE id IN (SELECT id FROM checked)
    GROUP BY id HAVING count(*) > 1
)
UNION ALL
SELECT document_id, NULL, NULL, 'is listed ' || count(*) || ' times'
FROM chunked_documents GROUP BY document_id HAVING count(*) > 1
