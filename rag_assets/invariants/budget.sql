-- No body chunk has more tokens than its document's budget.
-- If not: the chunker of the corpus breaks its contract: name another one in
-- corpus.toml, or raise max_tokens, and tell its author.
SELECT c.document_id, c.position, c.id AS chunk_id,
    c.token_count || ' tokens, the budget is ' || d.max_tokens AS what
FROM checked AS c
JOIN chunked_documents AS d USING (document_id)
WHERE c.kind IS DISTINCT FROM 'heading' AND c.token_count > d.max_tokens
