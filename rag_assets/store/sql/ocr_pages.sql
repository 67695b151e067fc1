-- ocr_pages.duckdb: what OCR engines read. Tenant and corpus stand in the path and in store_meta. Times are UTC.

CREATE TABLE IF NOT EXISTS ocr_pages (
    document_id VARCHAR NOT NULL,
    page INTEGER NOT NULL,          -- number of the page in `pages`
    status VARCHAR NOT NULL,        -- ok | empty | failed
    error_kind VARCHAR,
    error VARCHAR,
    key VARCHAR,                    -- hash of the document's bytes, engine and languages
    engine VARCHAR,
    language VARCHAR,
    regions JSON,                   -- [{text, confidence, bbox, page}], in reading order
    text VARCHAR,                   -- of all regions, one a line
    confidence DOUBLE,              -- mean over regions, 0..1
    seconds DOUBLE,
    read_at TIMESTAMP NOT NULL,
    run_id VARCHAR NOT NULL
);
