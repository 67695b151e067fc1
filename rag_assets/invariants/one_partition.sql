-- Every document with chunks belongs to this tenant and corpus.
SELECT document_id, NULL AS position, NULL AS chunk_id,
    'is not below ' || tenant_id || '/' || corpus_id AS what
FROM (
    SELECT document_id FROM chunks UNION SELECT document_id FROM chunked_documents
), store_meta
WHERE NOT starts_with(document_id, tenant_id || '/' || corpus_id || '/')
