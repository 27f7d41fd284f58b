internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The file `verdicts.csv.zst`: one row for every record, in the columns of ``EventColumns``.
enum VerdictsCSV {
  static let name = "verdicts.csv.zst"

  /// The kind of the rows of `events.csv.zst` that assign a key or an event to a device.
  static let deviceKind = "device"
}

/// The file `events.csv.zst`: the verdicts in order of key and time, in frames of whole rows.
enum EventsCSV {
  static let name = "events.csv.zst"
  /// The largest number of bytes of rows in a frame, without the last row.
  static let frameBytes = 1 << 20
}

/// The file `events.index`: CSV with a row for each frame of `events.csv.zst`, except for that of the header.
enum EventsIndex {
  static let name = "events.index"

  /// The place of a frame, and the first and the last key of its events. Events without a key come first.
  struct Frame: Sendable {
    var offset: UInt64 = 0
    var size: UInt64 = 0
    var firstKey: Digest256?
    var lastKey: Digest256?

    func mayHold(_ key: Digest256) -> Bool {
      (firstKey.map { !(key < $0) } ?? true) && (lastKey.map { !($0 < key) } ?? false)
    }
  }

  static let columns = Columns<Frame>([
    Column.number("offset", "the offset of the frame", \.offset).required,
    Column.number("size", "its length", \.size).required,
    .hex("first_key", "the first key in it", \.firstKey),
    .hex("last_key", "the last key in it", \.lastKey),
  ])
}

/// The columns of `verdicts.csv.zst` and `events.csv.zst`. Rows of verdicts are written by
/// ``VerdictRow/write(_:to:)``, everything else goes by these.
package enum EventColumns {
  package static let all = Columns(list)

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

extension VerdictRow {
  /// Writes the row of ``VerdictsCSV`` without texts in between, since there are as many as records.
  func write(_ names: SourceNames, to rows: inout RowBuffer) {
    if let time { rows.append(time: time) }
    rows.comma()
    if let kind { rows.append(kind.name) }
    rows.comma()
    if let key = keyID { rows.append(hex: key) }
    rows.comma()
    rows.append(csv: appID, guarded: true)
    rows.comma()
    rows.append(hex: clientDataHash.span)
    rows.comma()
    rows.append(csvNumber: counter)
    rows.append(csvPath: names[position.source])
    rows.comma()
    rows.append(csvNumber: position.line)
    rows.append(verdict.name)
    rows.comma()
    for (index, code) in codes.enumerated() {
      if index > 0 { rows.append(UInt8(ascii: ";")) }
      rows.append(code.name)
    }
    rows.comma()
    rows.append(decision.name)
    rows.comma()
    rows.append(csv: subject, guarded: true)
    rows.comma()
    rows.append(csv: requestID, guarded: true)
    rows.comma()
    rows.append(csv: detail, guarded: true)
    rows.comma()
    rows.append(csvNumber: position.item)
    rows.append(category?.name ?? "")
    rows.comma()
    rows.append(csv: bundleVersion, guarded: true)
    rows.comma()
    rows.append(hex: codeHash.span)
    rows.endRow()
  }
}
