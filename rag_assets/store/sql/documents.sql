-- documents.duckdb: what parsing found. Tenant and corpus stand in the path and in store_meta. Times are UTC.

CREATE TABLE IF NOT EXISTS documents (
    document_id VARCHAR NOT NULL,   -- tenant/corpus/relative/path; one row each
    source_uri VARCHAR NOT NULL,    -- where the bytes came from
    mime_type VARCHAR,              -- NULL only if never parsed
    title VARCHAR,                  -- what the document calls itself
    content_hash VARCHAR,           -- sha256 of the bytes; NULL only if never parsed
    metadata JSON,                  -- what the document says about itself
    status VARCHAR NOT NULL,        -- ok | empty | no_text (pages wait for OCR) | failed
    stale BOOLEAN NOT NULL,         -- failed, and the blocks are those of the last good version
    error_kind VARCHAR,             -- class of the error, of a failed one
    error VARCHAR,                  -- why it failed, and what to do
    key VARCHAR,                    -- hash of all inputs of the last good version
    size_bytes BIGINT,              -- of the file
    seconds DOUBLE,                 -- that parsing took
    parsed_at TIMESTAMP NOT NULL, -- last try
    run_id VARCHAR NOT NULL         -- last run that touched it
);

CREATE TABLE IF NOT EXISTS blocks (
    document_id VARCHAR NOT NULL,   -- tenant/corpus/relative/path
    index INTEGER NOT NULL,         -- 0-based, in reading order
    type VARCHAR NOT NULL,          -- heading | paragraph | list_item | table_row | code | ...
    level TINYINT,                  -- 1..6 of a heading
    text VARCHAR NOT NULL,          -- the words, as they stand in the document
    attributes JSON NOT NULL,       -- page, bbox, language, table, list_depth, ...
    start_offset BIGINT,            -- in the document's text, in characters; NULL for a blank block
    end_offset BIGINT               -- behind it
);

CREATE TABLE IF NOT EXISTS pages (
    document_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,        -- as the parser numbered it, from 1
    index INTEGER NOT NULL,         -- 0-based place in the list of pages
    width DOUBLE NOT NULL,          -- points; pixels for an image
    height DOUBLE NOT NULL,
    needs_ocr BOOLEAN NOT NULL,
    reason VARCHAR                  -- why it needs OCR
);
