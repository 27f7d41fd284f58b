-- Keys with more than one code hash of one bundle version: the app was replaced in place. Needs --index.
SELECT key_id, app_id, bundle_version, count(DISTINCT code_hash) AS code_hashes, count(*) AS assertions,
  min(time) AS first_time, max(time) AS last_time
FROM read_csv('events.csv.zst', header = true, all_varchar = true)
WHERE kind = 'assertion' AND verdict IN ('valid', 'flagged') AND code_hash <> ''
GROUP BY key_id, app_id, bundle_version
HAVING count(DISTINCT code_hash) > 1
ORDER BY code_hashes DESC, key_id, bundle_version;
