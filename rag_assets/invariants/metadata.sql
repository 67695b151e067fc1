-- Metadata is {"kind": "heading", "level": 1..6} or {"kind": "body"}, and nothing else.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, and tell its author.
SELECT document_id, position, id AS chunk_id, 'metadata is ' || left(metadata::VARCHAR, 200) AS what
FROM checked
WHERE NOT regexp_full_match(
        metadata::VARCHAR,
        '\{"kind":"body"\}|\{"kind":"heading","level":[1-6]\}|\{"level":[1-6],"kind":"heading"\}'
    )
    OR kind IS DISTINCT FROM (metadata ->> 'kind')
    OR level::VARCHAR IS DISTINCT FROM (metadata ->> 'level')
