-- Signed hashes that more than one key used. Needs a report with --index.
SELECT client_data_hash, count(DISTINCT key_id) AS keys, count(*) AS requests, min(time) AS first_time
FROM read_csv('events.csv.zst', header = true, all_varchar = true)
WHERE kind IN ('assertion', 'attestation') AND client_data_hash <> '' AND key_id <> ''
GROUP BY client_data_hash
HAVING count(DISTINCT key_id) > 1
ORDER BY keys DESC, client_data_hash;
