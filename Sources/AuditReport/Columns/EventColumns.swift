internal import AppAttest
internal import AuditEngine

/// The columns of `verdicts.csv.zst` and `events.csv.zst`. Rows of verdicts are written by
/// ``VerdictRows``, which formats repeated values once; everything else goes by these.
enum EventColumns {
  static let all = Columns(list)

  private static let list: [Column<TimelineEvent>] = [
    .time("time", "the time of the record", \.time),
    .text("kind", "attestation, assertion or challenge; device for a note", \.kind),
    .hex("key_id", "the key identifier", \.keyID),
    .text("app_id", "the App ID", \.appID),
    .hex("client_data_hash", "the clientDataHash", \.clientDataHash),
    .number("counter", "the sign counter", \.counter),
    .path("source", "the input", \.source),
    .number("line", "the line in the decompressed input", \.line),
    .text("verdict", "the verdict on the record", \.verdict),
    .words("codes", "the codes found for it, separated by `;`", \.codes),
    .text("decision", "what the server did with the request", \.decision),
    .text("subject", "the account or user", \.subject),
    .text("request_id", "the request identifier", \.requestID),
    .text("detail", "why a line was not audited or could not be read", \.detail),
    .number("item", "the number of the record in its line", \.item),
    .text("category", "the validation category that the token carries", \.category),
    .text("bundle_version", "the bundle version that the token carries", \.bundleVersion),
    .hex("code_hash", "the code hash that the token carries", \.codeHash),
  ]
}
