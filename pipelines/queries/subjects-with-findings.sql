-- Accounts by grave findings, with the keys they used.
SELECT subject, count(*) AS findings, count(DISTINCT key_id) AS keys,
  string_agg(DISTINCT code, ' ' ORDER BY code) AS codes, min(time) AS since
FROM read_csv('findings.csv', header = true, all_varchar = true)
WHERE severity IN ('high', 'critical') AND subject <> ''
GROUP BY subject
ORDER BY findings DESC, subject
LIMIT 100;
