-- Accounts with many keys. An app has one key in each device, so that an account with more keys than
-- devices, or many within a day, attests again and again.
SELECT subject, app_id, count(*) AS keys,
  count(*) FILTER (WHERE status = 'untrusted') AS untrusted,
  min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM read_csv('keys.csv', header = true, all_varchar = true)
WHERE subject <> ''
GROUP BY subject, app_id
HAVING count(*) > 1
ORDER BY keys DESC, subject, app_id
LIMIT 100;
