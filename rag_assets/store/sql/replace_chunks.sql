-- Bring `chunks` of the documents in `incoming_documents` to what `incoming_chunks` holds, and log
-- the difference. Rows that are equal stay untouched.
-- A chunker that repeats an id within a document breaks its contract; `nth` keeps such rows apart,
-- so that they are stored as they came and the checks can name them.

CREATE OR REPLACE TEMP TABLE difference AS
WITH old AS (
    SELECT rowid AS old_rowid, *,
        row_number() OVER (PARTITION BY document_id, id ORDER BY position) AS nth
    FROM chunks
    WHERE document_id IN (SELECT document_id FROM incoming_documents)
), new AS (
    SELECT *,
        row_number() OVER (PARTITION BY document_id, id ORDER BY position) AS nth
    FROM incoming_chunks
)
SELECT
    old.old_rowid,
    coalesce(new.document_id, old.document_id) AS document_id,
    coalesce(new.id, old.id) AS chunk_id,
    coalesce(new.nth, old.nth) AS nth,
    coalesce(new.position, old.position) AS position,
    CASE
        WHEN old.id IS NULL THEN 'insert'
        WHEN new.id IS NULL THEN 'delete'
        ELSE 'update'
    END AS change
FROM old FULL JOIN new USING (document_id, id, nth)
WHERE old.id IS NULL OR new.id IS NULL
    OR old.position <> new.position
    OR old.parent_id IS DISTINCT FROM new.parent_id
    OR old.content IS DISTINCT FROM new.content
    OR old.content_ref IS DISTINCT FROM new.content_ref
    OR old.token_count <> new.token_count
    OR old.acl_labels IS DISTINCT FROM new.acl_labels
    OR old.metadata IS DISTINCT FROM new.metadata
    OR old.start_offset <> new.start_offset
    OR old.end_offset <> new.end_offset
    OR old.overlap <> new.overlap
    OR old.heading_path IS DISTINCT FROM new.heading_path
    OR old.context IS DISTINCT FROM new.context;

DELETE FROM chunks WHERE rowid IN (SELECT old_rowid FROM difference);

INSERT INTO chunks BY NAME
SELECT new.* EXCLUDE (nth)
FROM (
    SELECT *,
        row_number() OVER (PARTITION BY document_id, id ORDER BY position) AS nth
    FROM incoming_chunks
) AS new
SEMI JOIN (SELECT * FROM difference WHERE change <> 'delete') AS changed
    ON changed.document_id = new.document_id
    AND changed.chunk_id = new.id
    AND changed.nth = new.nth
ORDER BY document_id, position;

INSERT INTO chunk_changes
SELECT
    (SELECT coalesce(max(sequence), 0) FROM chunk_changes)
        + row_number() OVER (ORDER BY change = 'insert', change = 'update', document_id, position),
    getvariable('run_id'), utc_now(), document_id, chunk_id, change
FROM difference;

DROP TABLE difference;
