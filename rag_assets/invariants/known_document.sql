-- Every chunk belongs to a document that the corpus still has.
-- If not: another program wrote to chunks.duckdb. Remove that file, the next run builds it
-- anew.
SELECT document_id, min(position) AS position, min(id) AS chunk_id,
    count(*) || ' chunks of a document that is gone' AS what
FROM chunks
WHERE document_id NOT IN (SELECT document_id FROM corpus.documents)
    OR document_id NOT IN (SELECT document_id FROM chunked_documents)
GROUP BY document_id
UNION ALL
SELECT document_id, NULL, NULL, 'is listed as chunked, but is gone'
FROM chunked_documents
WHERE document_id NOT IN (SELECT document_id FROM corpus.documents)
