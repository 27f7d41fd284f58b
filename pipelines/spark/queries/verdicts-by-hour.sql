-- What share of each hour's records was valid?
SELECT date_trunc('hour', time) AS hour, count(*) AS records,
  avg(CASE WHEN verdict = 'valid' THEN 1.0 ELSE 0.0 END) AS valid,
  sum(CASE WHEN verdict = 'failed' THEN 1 ELSE 0 END) AS failed
FROM verdicts WHERE kind IN ('attestation', 'assertion') GROUP BY hour ORDER BY hour
