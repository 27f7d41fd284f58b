-- Other keys of the accounts whose keys have grave findings: who has one stolen device may have two.
WITH grave AS (
  SELECT DISTINCT key_id, subject
  FROM read_csv('findings.csv', header = true, all_varchar = true)
  WHERE severity IN ('high', 'critical') AND subject <> '' AND key_id <> ''
)
SELECT grave.subject, grave.key_id AS grave_key, k.key_id AS neighbour, k.status, k.first_seen,
  k.last_seen, k.findings
FROM grave JOIN read_csv('keys.csv', header = true, all_varchar = true) AS k
  ON k.subject = grave.subject AND k.key_id <> grave.key_id
ORDER BY grave.subject, grave_key, neighbour;
