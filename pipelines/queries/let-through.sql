-- What the server did with what the audit found. Needs a report with --index.
SELECT kind, verdict, coalesce(nullif(decision, ''), 'unknown') AS decision, count(*) AS requests,
  count(DISTINCT key_id) AS keys
FROM read_csv('events.csv.zst', header = true, all_varchar = true)
WHERE kind <> 'challenge'
GROUP BY ALL
ORDER BY kind, verdict, decision;
