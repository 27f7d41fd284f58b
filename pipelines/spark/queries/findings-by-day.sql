-- Which findings are there of each day and code, and how many records do they stand for?
SELECT date(time) AS day, severity, code, count(*) AS findings, sum(count) AS records
FROM findings GROUP BY day, severity, code ORDER BY day, findings DESC
