-- A chunk's parent is the heading that encloses it: the last one before it, for a heading the last
-- one before it of a smaller level; NULL if there is none.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, and tell its author.
WITH above AS (
    -- h1 .. h6: position of the last heading before the chunk whose level is at most 1 .. 6
    SELECT document_id, position, id, parent_id, kind, level,
        max(position) FILTER (kind = 'heading' AND level <= 1) OVER before AS h1,
        max(position) FILTER (kind = 'heading' AND level <= 2) OVER before AS h2,
        max(position) FILTER (kind = 'heading' AND level <= 3) OVER before AS h3,
        max(position) FILTER (kind = 'heading' AND level <= 4) OVER before AS h4,
        max(position) FILTER (kind = 'heading' AND level <= 5) OVER before AS h5,
        max(position) FILTER (kind = 'heading') OVER before AS h6
    FROM checked
    WINDOW before AS (
        PARTITION BY document_id ORDER BY position
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
), expected AS (
    SELECT *,
        CASE
            WHEN kind IS DISTINCT FROM 'heading' THEN h6
            WHEN level = 2 THEN h1
            WHEN level = 3 THEN h2
            WHEN level = 4 THEN h3
            WHEN level = 5 THEN h4
            WHEN level = 6 THEN h5
        END AS parent_position
    FROM above
)
SELECT e.document_id, e.position, e.id AS chunk_id,
    CASE
        WHEN e.parent_id IS NOT NULL AND p.id IS NULL THEN 'its parent is no chunk of the document'
        ELSE 'its parent is at position ' || coalesce(p.position::VARCHAR, 'none') || ', expected '
            || coalesce(e.parent_position::VARCHAR, 'none')
    END AS what
FROM expected AS e
LEFT JOIN checked AS p ON p.document_id = e.document_id AND p.id = e.parent_id
WHERE (e.parent_id IS NOT NULL AND p.id IS NULL)
    OR p.position IS DISTINCT FROM e.parent_position
