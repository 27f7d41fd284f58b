-- Lines that could not be read, by input and reason, with the first of each.
SELECT source, code, count(*) AS lines, min(line) AS first_line, any_value(reason) AS reason
FROM read_json('rejects.jsonl', format = 'newline_delimited', columns = {
  source: 'VARCHAR', line: 'BIGINT', code: 'VARCHAR', reason: 'VARCHAR'})
GROUP BY source, code
ORDER BY lines DESC, source, code;
