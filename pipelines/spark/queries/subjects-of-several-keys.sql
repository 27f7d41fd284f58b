-- Which users had several keys, and what was found of these?
SELECT subject, count(*) AS keys, sum(findings) AS findings, max(last_seen) AS last_seen
FROM keys WHERE subject <> '' GROUP BY subject HAVING count(*) > 1 ORDER BY findings DESC
