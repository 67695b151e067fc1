-- What people query, on top of one view per stored table (made by catalog.py).

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
SELECT tenant_id, corpus_id, document_id, 'ocr' AS stage, 'failed' AS status, min(error_kind) AS error_kind,
    min(error) AS error, false AS stale, max(read_at) AS failed_at, max(run_id) AS run_id
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
)
SELECT tenant_id, corpus_id,
    coalesce(parsed.documents, 0) AS documents,
    coalesce(chunked.chunks, 0) AS chunks,
    coalesce(chunked.body_chunks, 0) AS body_chunks,
    coalesce(chunked.tokens, 0) AS tokens,
    coalesce(parsed.failed, 0) + coalesce(chunking.failed, 0) AS failed,
    coalesce(parsed.stale, 0) AS stale,
    last_runs.run_id AS last_run,
    last_runs.finished_at AS last_run_at
FROM parsed
FULL JOIN chunked USING (tenant_id, corpus_id)
FULL JOIN chunking USING (tenant_id, corpus_id)
FULL JOIN last_runs USING (tenant_id, corpus_id);

-- Chunks that carry at least one of the labels. A chunk without labels is visible to nobody.
CREATE MACRO visible_chunks(labels) AS TABLE
SELECT * FROM chunks WHERE list_has_any(acl_labels, labels);
