-- Which keys carried a counter twice, and how far do their requests reach?
SELECT f.key_id, count(*) AS repeated, min(f.time) AS since, max(f.time) AS until,
  any_value(k.assertions) AS assertions, any_value(k.subject) AS subject
FROM findings f JOIN keys k ON f.key_id = k.key_id
WHERE f.code = 'counter.repeated' GROUP BY f.key_id ORDER BY repeated DESC
