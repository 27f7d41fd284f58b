-- Which requests did the server accept although the audit has a critical finding about them?
SELECT time, code, key_id, subject, request_id, source, line, detail
FROM findings WHERE severity = 'critical' AND decision = 'accepted' ORDER BY time
