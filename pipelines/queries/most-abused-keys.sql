-- Keys by the requests that were accepted and should not have been.
SELECT key_id, any_value(app_id) AS app_id, sum("count") AS accepted_requests,
  count(DISTINCT code) AS codes, min(time) AS first_time, max(time) AS last_time
FROM read_json('findings.jsonl', format = 'newline_delimited', columns = {
  key_id: 'VARCHAR', app_id: 'VARCHAR', severity: 'VARCHAR', code: 'VARCHAR', decision: 'VARCHAR',
  time: 'VARCHAR', count: 'BIGINT'})
WHERE decision = 'accepted' AND severity IN ('high', 'critical') AND key_id IS NOT NULL
GROUP BY key_id
ORDER BY accepted_requests DESC, key_id
LIMIT 50;
