-- Every document is chunked under its current settings, or listed as failed.
-- If not: the chunks are those of an earlier version. Materialize the partition again; what
-- stays is listed in failed_documents, with the reason.
-- severity: warning
SELECT d.document_id, NULL AS position, NULL AS chunk_id,
    CASE
        WHEN c.document_id IS NULL THEN 'is not chunked'
        ELSE 'is chunked from another version or under other settings'
    END AS what
FROM corpus.documents AS d
LEFT JOIN chunked_documents AS c USING (document_id)
LEFT JOIN current_keys AS k USING (document_id)
WHERE (c.document_id IS NULL AND d.key IS NOT NULL)
    OR (c.status <> 'failed' AND k.key IS NOT NULL AND c.key IS DISTINCT FROM k.key)
