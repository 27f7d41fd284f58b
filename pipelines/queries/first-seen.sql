-- When each kind of finding was first and last seen, and at how many keys.
SELECT code, min(time) AS first_time, max(time) AS last_time, count(*) AS findings,
  count(DISTINCT key_id) AS keys
FROM read_csv('findings.csv', header = true, all_varchar = true)
GROUP BY code
ORDER BY first_time NULLS LAST, code;
