-- Findings by hour, and by what the server did.
SELECT left(time, 13) AS hour, severity, count(*) FILTER (WHERE decision = 'accepted') AS accepted,
  count(*) FILTER (WHERE decision = 'rejected') AS rejected,
  count(*) FILTER (WHERE decision IS NULL OR decision = '') AS unknown
FROM read_csv('findings.csv', header = true, all_varchar = true)
WHERE time <> ''
GROUP BY ALL
ORDER BY hour, severity;
