internal import AuditEngine

/// The file `rejects.jsonl`: one object for each line that could not be read as a record.
enum RejectsJSONLines {
  static let name = "rejects.jsonl"
  /// The number of bytes of the line that are shown.
  static let headBytes = 256

  static func write(_ reject: RejectRow, sources: SourceNames, to rows: inout RowBuffer) {
    rows.append(ascii: "{\"source\":")
    rows.append(json: sources[reject.position.source])
    rows.append(ascii: ",\"line\":")
    rows.append(decimal: reject.position.line)
    rows.append(ascii: ",\"byteOffset\":")
    rows.append(decimal: reject.byteOffset)
    rows.append(ascii: ",\"code\":")
    rows.append(json: reject.code.name)
    rows.append(ascii: ",\"reason\":")
    rows.append(json: reject.reason)
    rows.append(ascii: ",\"head\":")
    rows.append(json: String(decoding: reject.head.prefix(headBytes), as: UTF8.self))
    rows.append(ascii: "}\n")
  }
}
