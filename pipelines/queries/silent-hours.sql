-- Hours in which a log of several hours has no request at all. Needs a report with --index.
WITH hours AS (
  SELECT source, date_trunc('hour', time::TIMESTAMP) AS hour, count(*) AS requests
  FROM read_csv('events.csv.zst', header = true, all_varchar = true)
  WHERE time <> '' AND kind <> 'challenge'
  GROUP BY ALL
), spans AS (
  SELECT source, unnest(generate_series(min(hour), max(hour), INTERVAL 1 HOUR)) AS hour
  FROM hours GROUP BY source
)
SELECT spans.source, spans.hour
FROM spans LEFT JOIN hours USING (source, hour)
WHERE hours.requests IS NULL
ORDER BY spans.source, spans.hour;
