-- Replays that were accepted, with the place of the request that came first.
SELECT time, code, key_id, request_id, source, line, related_source, related_line, fingerprint
FROM read_csv('findings.csv', header = true, all_varchar = true)
WHERE code LIKE 'replay.%' AND decision = 'accepted'
ORDER BY time, source, line::BIGINT;
