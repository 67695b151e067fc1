-- What people query, on top of one view per stored table (made by catalog.py).

-- What parsing found; a document all of whose text is on pages that OCR has read is `ok`, one on
-- whose pages there is nothing to read `empty`.
CREATE VIEW documents AS
WITH waiting AS (
    SELECT tenant_id, corpus_id, document_id, count(*) AS n
    FROM pages WHERE needs_ocr GROUP BY ALL
), read AS (
    SELECT tenant_id, corpus_id, document_id, content_hash, bool_or(trim(text) <> '') AS has_text,
        count(*) FILTER (status = 'empty') AS n_empty
    FROM ocr_pages GROUP BY ALL
)
SELECT d.* REPLACE (
    CASE
        WHEN d.status <> 'no_text' THEN d.status
        WHEN read.has_text THEN 'ok'
        WHEN read.n_empty = waiting.n THEN 'empty'
        ELSE d.status
    END AS status
)
FROM documents_as_parsed AS d
LEFT JOIN waiting USING (tenant_id, corpus_id, document_id)
LEFT JOIN read USING (tenant_id, corpus_id, document_id, content_hash);

-- What OCR engines read, a row for each paragraph. Text that they were not sure of is kept and
-- marked: below 0.8 single words are wrong.
CREATE VIEW ocr_regions AS
SELECT p.tenant_id, p.corpus_id, p.document_id, p.page, r.number - 1 AS index,
    r.region ->> 'text' AS text,
    (r.region ->> 'confidence')::DOUBLE AS confidence,
    (r.region ->> 'confidence')::DOUBLE < 0.8 AS low_confidence,
    (r.region -> 'bbox')::DOUBLE[] AS bbox,
    p.engine
FROM ocr_pages AS p, unnest(from_json(p.regions, '["JSON"]')) WITH ORDINALITY AS r(region, number);

CREATE VIEW chunk_context AS
SELECT
    c.tenant_id,
    c.corpus_id,
    c.document_id,
    d.title,
    c.id AS chunk_id,
    c.position,
    c.heading_path,
    c.content,
    c.content_ref,
    c.token_count,
    c.acl_labels,
    -- Made with the chunk by rag_chunker.context, within the corpus' embedding_tokens.
    coalesce(c.context, '') AS context,
    CASE WHEN coalesce(c.context, '') = '' THEN c.content
        ELSE c.context || chr(10) || chr(10) || c.content END AS embedding_text,
    d.embedding_tokens,             -- the budget of embedding_text
    c.start_offset,
    c.end_offset,
    c.overlap,
    d.stale
FROM chunks AS c
LEFT JOIN chunked_documents AS d USING (tenant_id, corpus_id, document_id)
WHERE c.kind = 'body';

CREATE VIEW failed_documents AS
SELECT tenant_id, corpus_id, document_id, 'parse' AS stage, status, error_kind, error, stale,
    parsed_at AS failed_at, run_id
FROM documents WHERE status IN ('failed', 'skipped')
UNION ALL BY NAME
SELECT tenant_id, corpus_id, document_id, 'ocr' AS stage, 'failed' AS status,
    arg_min(error_kind, page) AS error_kind,
    'page ' || min(page) || ': ' || arg_min(error, page)
        || CASE WHEN count(*) > 1 THEN ' (and ' || count(*) - 1 || ' more pages)' ELSE '' END
        AS error,
    bool_or(stale) AS stale, max(read_at) AS failed_at, max(run_id) AS run_id
FROM ocr_pages WHERE status = 'failed'
GROUP BY tenant_id, corpus_id, document_id
UNION ALL BY NAME
SELECT tenant_id, corpus_id, document_id, 'chunk' AS stage, status, error_kind, error, stale,
    chunked_at AS failed_at, run_id
FROM chunked_documents WHERE status = 'failed';

-- One row per run that ended at least one stage; figures of a stage that did not end are NULL.
-- A run that found nothing new is there too. The newest are on record in full; of older ones, what
-- the published chunks tell.
CREATE VIEW runs AS
FROM noted_runs
UNION ALL BY NAME
SELECT tenant_id, corpus_id, run_id, started_at, finished_at, failed AS chunking_failed,
    inserted AS chunks_inserted, updated AS chunks_updated, deleted AS chunks_deleted
FROM published_runs
ANTI JOIN noted_runs USING (tenant_id, corpus_id, run_id);

CREATE VIEW last_runs AS
FROM runs
QUALIFY row_number() OVER (PARTITION BY tenant_id, corpus_id ORDER BY finished_at DESC) = 1;

CREATE VIEW corpus_summary AS
WITH parsed AS (
    SELECT tenant_id, corpus_id, count(*) AS documents,
        count(*) FILTER (status = 'failed') AS failed, count(*) FILTER (stale) AS stale
    FROM documents GROUP BY ALL
), chunked AS (
    SELECT tenant_id, corpus_id, count(*) AS chunks,
        count(*) FILTER (kind = 'body') AS body_chunks, sum(token_count)::BIGINT AS tokens
    FROM chunks GROUP BY ALL
), chunking AS (
    SELECT tenant_id, corpus_id, count(*) FILTER (status = 'failed') AS failed
    FROM chunked_documents GROUP BY ALL
), reading AS (
    SELECT tenant_id, corpus_id, count(*) FILTER (status IN ('ok', 'empty')) AS read,
        count(*) FILTER (status = 'failed') AS failed,
        count(*) FILTER (low_confidence) AS low_confidence
    FROM ocr_pages GROUP BY ALL
)
SELECT tenant_id, corpus_id,
    coalesce(parsed.documents, 0) AS documents,
    coalesce(chunked.chunks, 0) AS chunks,
    coalesce(chunked.body_chunks, 0) AS body_chunks,
    coalesce(chunked.tokens, 0) AS tokens,
    coalesce(parsed.failed, 0) + coalesce(chunking.failed, 0) AS failed,
    coalesce(parsed.stale, 0) AS stale,
    coalesce(reading.read, 0) AS ocr_read,  -- pages, as the two below
    coalesce(reading.failed, 0) AS ocr_failed,
    coalesce(reading.low_confidence, 0) AS ocr_low_confidence,
    last_runs.run_id AS last_run,
    last_runs.finished_at AS last_run_at
FROM parsed
FULL JOIN chunked USING (tenant_id, corpus_id)
FULL JOIN chunking USING (tenant_id, corpus_id)
FULL JOIN reading USING (tenant_id, corpus_id)
FULL JOIN last_runs USING (tenant_id, corpus_id);

-- Chunks that carry at least one of the labels. A chunk without labels is visible to nobody.
CREATE MACRO visible_chunks(labels) AS TABLE
SELECT * FROM chunks WHERE list_has_any(acl_labels, labels);
