-- A chunk's heading path is its parent's path and the parent's text.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, and tell its author.
SELECT c.document_id, c.position, c.id AS chunk_id,
    'its heading path is ' || coalesce(c.heading_path::VARCHAR, 'NULL') AS what
FROM checked AS c
LEFT JOIN checked AS p ON p.document_id = c.document_id AND p.id = c.parent_id
WHERE c.heading_path IS DISTINCT FROM
    CASE WHEN p.id IS NULL THEN [] ELSE list_append(p.heading_path, coalesce(p.content, '')) END
