-- The rows in which builds.csv and a second computation differ (reports.R64, R65). No other file has the platform of a key.
with records as (
  select *, case kind when 'assertion' then verdict in ('valid', 'flagged')
    when 'attestation' then not list_bool_or(list_transform(string_split(codes, ';'), code ->
      starts_with(code, 'attestation.') and code not in ('attestation.receipt_invalid',
        'attestation.time_disagrees', 'attestation.category_mismatch', 'attestation.code_mismatch')))
      and verdict <> 'unverifiable'
    else false end as verified
  from read_csv('verdicts.csv.zst', all_varchar = true, header = true, compression = 'zstd', nullstr = '-')),
worst as (
  select source, line, item, count(*) as number,
    max(list_position(['info', 'low', 'medium', 'high', 'critical'], severity)) as severity
  from read_csv('findings.csv', all_varchar = true, header = true, nullstr = '-') group by all),
second as (
  select app_id, category, bundle_version, code_hash, min(time), max(time), count(distinct key_id),
    count(distinct nullif(subject, '')), count(*) filter (kind = 'attestation'),
    count(*) filter (kind = 'assertion'), count(*) filter (decision = 'accepted'),
    count(*) filter (decision = 'rejected'), coalesce(sum(number), 0)::bigint, coalesce(max(severity), 0)
  from records left join worst using (source, line, item) where verified group by 1, 2, 3, 4),
first as (
  select app_id, category, bundle_version, code_hash, min(first_seen), max(last_seen),
    sum(keys::bigint)::bigint, sum(subjects::bigint)::bigint, sum(attestations::bigint)::bigint,
    sum(assertions::bigint)::bigint, sum(accepted::bigint)::bigint, sum(rejected::bigint)::bigint,
    sum(findings::bigint)::bigint,
    coalesce(max(list_position(['info', 'low', 'medium', 'high', 'critical'], worst_severity)), 0)
  from read_csv('builds.csv', all_varchar = true, header = true, nullstr = '-') group by 1, 2, 3, 4)
(from first except all from second) union all (from second except all from first)
