-- What else did a key do within a minute of each of its critical findings?
SELECT f.code, f.time AS found_at, v.time, v.verdict, v.counter, v.request_id, v.source, v.line
FROM findings f JOIN verdicts v ON f.key_id = v.key_id
  AND v.time BETWEEN f.time - INTERVAL 1 MINUTE AND f.time + INTERVAL 1 MINUTE
WHERE f.severity = 'critical' ORDER BY f.time, v.time
