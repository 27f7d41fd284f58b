-- Keys whose counters fall or come twice: one private key in two places, or a server that mixes keys.
SELECT key_id, count(*) FILTER (WHERE code = 'counter.repeated') AS repeated,
  count(*) FILTER (WHERE code = 'counter.regression') AS regressions, min(time) AS since,
  any_value(subject) AS subject
FROM read_csv('findings.csv', header = true, all_varchar = true)
WHERE code IN ('counter.repeated', 'counter.regression') AND key_id <> ''
GROUP BY key_id
ORDER BY repeated DESC, regressions DESC, key_id;
