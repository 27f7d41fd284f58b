-- psql --no-psqlrc --quiet --variable day=2026-11-20 --file export.sql > 2026-11-20.jsonl
COPY (
  SELECT json_strip_nulls(json_build_object(
    'time', time, 'requestId', request_id, 'kind', kind,
    'keyId', encode(key_id, 'base64'), 'token', encode(token, 'base64'),
    'challenge', challenge, 'clientData', encode(client_data, 'base64'), 'subject', subject,
    'decision', CASE accepted WHEN true THEN 'accepted' WHEN false THEN 'rejected' END))
  FROM attest_requests
  WHERE (time AT TIME ZONE 'UTC')::date = :'day'
  ORDER BY time
)
-- COPY's text format would double each backslash. With a quote and a delimiter that JSON text cannot
-- contain, its CSV format changes nothing.
TO STDOUT (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
