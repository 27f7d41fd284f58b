# What the recipes have in common; sourced by them.
#
# They send codes, fingerprints, keys, times and numbers, and no text of a log, unless they send whole
# findings as JSON. Settings come from the environment, in a service from /etc/attest-audit/notify.
set -euo pipefail
umask 077

fail() {
  printf '%s: error: %s\n' "${0##*/}" "$1" >&2
  printf 'hint: %s\n' "$2" >&2
  exit "$3"
}

# The report: the first argument, else the one in REPORTS that was written last.
reports="${REPORTS:-/var/lib/attest-audit/reports}"
report="${1:-}"
if [ -z "$report" ] && [ -d "$reports" ]; then
  report="$(find "$reports" -mindepth 2 -maxdepth 2 -name manifest.json -printf '%T@ %h\n' \
    | sort -n | tail -n 1 | cut -d' ' -f2-)"
fi

# How the run ended, where systemd says it (from version 251 on).
result="${MONITOR_SERVICE_RESULT:-success}"
status="${MONITOR_EXIT_STATUS:-0}"
failed=""
case "$result $status" in
  success\ * | exit-code\ [12]) ;;
  *) failed="the run FAILED: $result, status $status" ;;
esac
failed="$(printf '%s' "$failed" | tr -cd 'A-Za-z0-9 :,_-')"
if [ -z "$failed" ]; then
  [ -f "$report/findings.jsonl" ] || fail "there is no report" \
    "name a report folder, or set REPORTS to the folder of all reports" 66
fi

# The findings of the report that are high or critical, one a line; of a run with a state the new ones.
grave() {
  if [ -n "$failed" ]; then return 0; fi
  grep -E '^\{"severity":"(high|critical)"' "$report/findings.jsonl" | {
    if grep -q '"state": {' "$report/summary.json"; then
      # Those that are back, or more severe than before, are new again.
      again="$(awk '/"newAgain"/ { on = 1 } on; /\]/ { on = 0 }' "$report/summary.json" | grep -oE '[0-9a-f]{16}' || true)"
      grep -e '"times_seen":1}$' ${again:+-e "$(sed 's/.*/"fingerprint":"&","subject"/' <<<"$again")"}
    else
      cat
    fi
  } || true
}

# One line for each finding: severity, code, time, key, fingerprint; "null" where unknown.
words() {
  sed -nE 's/^\{"severity":"([a-z]+)","code":"([a-z_.]+)","time":"?([^",]*)"?,"kind":[^,]*,"key_id":"?([0-9a-f]{64}|null)"?,.*"fingerprint":"([0-9a-f]{16})".*/\1 \2 \3 \4 \5/p'
}
