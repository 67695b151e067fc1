-- Exactly one of content and content_ref is set, and content is never empty.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, and tell its author.
SELECT document_id, position, id AS chunk_id,
    CASE
        WHEN content = '' THEN 'content is empty'
        WHEN content IS NULL THEN 'neither content nor content_ref is set'
        ELSE 'content and content_ref are both set'
    END AS what
FROM checked
WHERE (content IS NULL) = (content_ref IS NULL) OR content = ''
