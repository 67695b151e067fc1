-- Every chunk carries the labels configured for its document: sorted, distinct, never NULL.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, and tell its author.
SELECT c.document_id, c.position, c.id AS chunk_id,
    'has ' || coalesce(c.acl_labels::VARCHAR, 'NULL') || ', configured are '
        || coalesce(d.acl_labels::VARCHAR, 'NULL') AS what
FROM checked AS c
LEFT JOIN chunked_documents AS d USING (document_id)
WHERE c.acl_labels IS NULL
    OR c.acl_labels IS DISTINCT FROM d.acl_labels
    OR c.acl_labels IS DISTINCT FROM list_sort(list_distinct(c.acl_labels))
