-- Keys whose app went back to an earlier bundle version: each verified assertion with a lower version than the key had
-- before. Versions compare part by part as numbers. Needs --index.
WITH versions AS (
  SELECT key_id, app_id, time, CAST(counter AS BIGINT) AS counter, bundle_version, code_hash, source, line,
    list_transform(string_split(bundle_version, '.'), part -> coalesce(TRY_CAST(part AS BIGINT), 0)) AS parts
  FROM read_csv('events.csv.zst', header = true, all_varchar = true)
  WHERE kind = 'assertion' AND verdict IN ('valid', 'flagged') AND bundle_version <> ''
), ordered AS (
  SELECT *, lag(bundle_version) OVER earlier AS version_before, lag(parts) OVER earlier AS parts_before
  FROM versions
  WINDOW earlier AS (PARTITION BY key_id ORDER BY time, counter, source, CAST(line AS BIGINT))
)
SELECT key_id, app_id, time, counter, version_before, bundle_version, code_hash, source, line
FROM ordered
WHERE parts < parts_before
ORDER BY key_id, time, counter;
