-- ocr_pages.duckdb: what OCR engines read. Tenant and corpus stand in the path and in store_meta. Times are UTC.

CREATE TABLE IF NOT EXISTS ocr_pages (
    document_id VARCHAR NOT NULL,
    page INTEGER NOT NULL,          -- number of the page in `pages`; one row each
    reason VARCHAR,                 -- why it was read, as in `pages`; images: pictures between text
    status VARCHAR NOT NULL,        -- ok | empty (nothing to read) | no_images (only text) | failed
    stale BOOLEAN NOT NULL,         -- failed, and the regions are those of the last good reading
    error_kind VARCHAR,             -- class of the error, of a failed one
    error VARCHAR,
    content_hash VARCHAR NOT NULL,  -- of the document that it is a page of, as in `documents`
    key VARCHAR,                    -- hash of all inputs of the regions that are there
    engine VARCHAR,
    engine_version VARCHAR,
    languages VARCHAR[],            -- as set for the corpus; none: the engine's own choice
    regions JSON,                   -- [{text, confidence, bbox, page}], in reading order
    text VARCHAR,                   -- of all regions, one a line
    confidence DOUBLE,              -- mean over characters, 0..1; NULL without any
    low_confidence BOOLEAN NOT NULL, -- the mean is so low that somebody should look at the page
    seconds DOUBLE,                 -- that reading took
    read_at TIMESTAMP NOT NULL,     -- last try
    run_id VARCHAR NOT NULL
);
