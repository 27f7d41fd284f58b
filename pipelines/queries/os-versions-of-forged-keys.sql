-- Systems, categories and environments of keys with failed attestations or critical findings.
SELECT coalesce(nullif(os_version, ''), 'unknown') AS os_version,
  coalesce(nullif(category, ''), 'unknown') AS category,
  coalesce(nullif(environment, ''), 'unknown') AS environment, count(*) AS keys,
  count(*) FILTER (WHERE status = 'untrusted') AS untrusted,
  count(*) FILTER (WHERE worst_severity = 'critical') AS critical
FROM read_csv('keys.csv', header = true, all_varchar = true)
WHERE status = 'untrusted' OR worst_severity = 'critical'
GROUP BY ALL
ORDER BY keys DESC, os_version, category, environment;
