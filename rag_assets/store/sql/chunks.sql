-- chunks.duckdb: what chunking made. Tenant and corpus stand in the path and in store_meta. Times are UTC.

CREATE TABLE IF NOT EXISTS chunks (
    id VARCHAR NOT NULL,            -- hash of document, heading path and content
    document_id VARCHAR NOT NULL,   -- tenant/corpus/relative/path
    position INTEGER NOT NULL,      -- 0-based within the document
    parent_id VARCHAR,              -- the enclosing heading's chunk
    content VARCHAR,                -- the overlap, then a slice of the document's text
    content_ref VARCHAR,            -- where the content lies, if elsewhere
    token_count INTEGER NOT NULL,   -- of the whole content, overlap included
    acl_labels VARCHAR[],           -- sorted, distinct; none means nobody may see it
    metadata JSON NOT NULL,         -- {"kind": "heading", "level": N} or {"kind": "body"}
    start_offset BIGINT NOT NULL,   -- of the new part in the document's text, in characters
    end_offset BIGINT NOT NULL,     -- behind the new part
    overlap INTEGER NOT NULL,       -- leading characters of content that repeat earlier text
    heading_path VARCHAR[],         -- the headings above, outermost first
    kind VARCHAR,                   -- metadata.kind, for filters
    level TINYINT,                  -- metadata.level, for filters
    context VARCHAR                 -- of a body: title and headings, before content in embedding_text
);

CREATE TABLE IF NOT EXISTS chunked_documents (
    document_id VARCHAR NOT NULL,   -- one row each
    title VARCHAR,
    status VARCHAR NOT NULL,        -- ok | failed
    stale BOOLEAN NOT NULL,         -- the chunks are those of an earlier version
    error_kind VARCHAR,
    error VARCHAR,
    key VARCHAR,                    -- hash of all inputs of the chunks that are there
    n_chunks INTEGER NOT NULL,
    max_tokens INTEGER,             -- the settings that the chunks were made with
    overlap_tokens INTEGER,
    tokenizer VARCHAR,
    embedding_tokens INTEGER,       -- the budget of embedding_text
    acl_labels VARCHAR[],
    seconds DOUBLE,
    chunked_at TIMESTAMP NOT NULL,
    run_id VARCHAR NOT NULL         -- last run that touched it
);

-- Replayed in order from nothing, the ids give those in `chunks`. An update means that any column
-- of the chunk differs, be it only its position, parent or labels.
CREATE TABLE IF NOT EXISTS chunk_changes (
    sequence BIGINT NOT NULL,       -- 1, 2, 3, ... over all runs of the partition
    run_id VARCHAR NOT NULL,
    changed_at TIMESTAMP NOT NULL,
    document_id VARCHAR NOT NULL,
    chunk_id VARCHAR NOT NULL,
    change VARCHAR NOT NULL         -- insert | update | delete
);

CREATE TABLE IF NOT EXISTS runs (
    run_id VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP,        -- NULL while it is in the making: never in a live file
    documents INTEGER,              -- touched by the run
    failed INTEGER,                 -- of these
    inserted INTEGER,
    updated INTEGER,
    deleted INTEGER
);
