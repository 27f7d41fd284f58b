-- The verified assertions of each build on each day. Needs --index.
SELECT CAST(substr(time, 1, 10) AS DATE) AS day, app_id,
  coalesce(nullif(category, ''), 'none') AS category,
  coalesce(nullif(bundle_version, ''), 'none') AS bundle_version,
  coalesce(nullif(code_hash, ''), 'none') AS code_hash, count(*) AS assertions,
  count(DISTINCT key_id) AS keys, count(*) FILTER (WHERE decision = 'accepted') AS accepted,
  count(*) FILTER (WHERE decision = 'rejected') AS rejected
FROM read_csv('events.csv.zst', header = true, all_varchar = true)
WHERE kind = 'assertion' AND verdict IN ('valid', 'flagged')
GROUP BY ALL
ORDER BY day, app_id, category, bundle_version, code_hash;
