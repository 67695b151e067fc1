-- Every document with chunks belongs to this tenant and corpus.
-- If not: the file was moved here from another corpus. Remove it, the next run builds it
-- anew.
SELECT document_id, NULL AS position, NULL AS chunk_id,
    'is not below ' || getvariable('partition_key') AS what
FROM (
    SELECT document_id FROM chunks UNION SELECT document_id FROM chunked_documents
)
WHERE NOT starts_with(document_id, getvariable('partition_key') || '/')
