internal import AuditEngine

/// A reject as reports have it: with the name of its input.
struct ReportedReject {
  var reject: RejectRow
  var source: String

  /// The number of bytes of the line that are shown.
  private static let headBytes = 256

  /// The first bytes of the line, with invalid UTF-8 replaced.
  fileprivate var head: String {
    String(decoding: reject.head.prefix(Self.headBytes), as: UTF8.self)
  }
}

/// The columns of `rejects.jsonl`: one object for each line that could not be read as a record.
enum RejectColumns {
  static let name = "rejects.jsonl"
  static let all = Columns(list)

  private static let list: [Column<ReportedReject>] = [
    .path("source", "the input", \.source),
    .number("line", "the line in the decompressed input", \.reject.position.line),
    .number(
      "byteOffset", "the offset of its first byte in the decompressed input", \.reject.byteOffset),
    .word("code", "what is wrong", \.reject.code),
    .text("reason", "one sentence", \.reject.reason),
    .derived("head", "its first 256 bytes, with invalid UTF-8 replaced") { .text($0.head) },
  ]
}
