internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// A formatter of rows of ``VerdictsCSV``. Key, app, subject and source are formatted again only if
/// they change, because formatting is most of the cost of an index.
struct VerdictRows {
  /// The number of sources whose names are kept in formatted form.
  private static let sourceRoom: UInt32 = 64

  let names: SourceNames
  private var keyID = RepeatedField<Digest256>()
  private var appID = RepeatedField<TextBytes>()
  private var subject = RepeatedField<TextBytes>()
  private var sources: [RepeatedField<UInt32>]

  init(sources names: SourceNames) {
    self.names = names
    sources = Array(repeating: RepeatedField(), count: Int(Self.sourceRoom))
  }

  /// Writes the row of a record.
  mutating func write(_ verdict: VerdictRow, to rows: inout RowBuffer) {
    rows.append(csvTime: verdict.time)
    if let kind = verdict.kind { rows.append(kind.name) }
    rows.comma()
    if let key = verdict.keyID { keyID.append(key, to: &rows) { $0.append(hex: $1) } }
    rows.comma()
    Self.append(verdict.appID, &appID, to: &rows)
    rows.append(hex: verdict.clientDataHash.span)
    rows.comma()
    rows.append(csvNumber: verdict.counter)
    append(source: verdict.position.source, to: &rows)
    rows.append(csvNumber: verdict.position.line)
    rows.append(verdict.verdict.name)
    rows.comma()
    for (index, code) in verdict.codes.enumerated() {
      if index > 0 { rows.append(UInt8(ascii: ";")) }
      rows.append(code.name)
    }
    rows.comma()
    rows.append(verdict.decision.name)
    rows.comma()
    Self.append(verdict.subject, &subject, to: &rows)
    rows.append(csv: verdict.requestID, guarded: true)
    rows.comma()
    rows.append(csv: verdict.detail, guarded: true)
    rows.comma()
    rows.append(csvNumber: verdict.item)
    rows.append(verdict.category?.name ?? "")
    rows.comma()
    rows.append(csv: verdict.bundleVersion, guarded: true)
    rows.comma()
    rows.append(hex: verdict.codeHash.span)
    rows.endRow()
  }

  /// Appends a text from a log that often repeats, and a comma.
  @inline(__always)
  private static func append(
    _ text: String, _ field: inout RepeatedField<TextBytes>, to rows: inout RowBuffer
  ) {
    if !text.isEmpty {
      field.append(TextBytes(text: text), to: &rows) { $0.append(csv: $1.text, guarded: true) }
    }
    rows.comma()
  }

  /// Appends the name of a source, and a comma.
  @inline(__always)
  private mutating func append(source: UInt32, to rows: inout RowBuffer) {
    let place = Int(source % Self.sourceRoom)
    if !sources[place].holds(source) {
      // Copied only here: threads that count references to one object slow each other down.
      let names = names
      sources[place].hold(source) { $0.append(csvPath: names[$1]) }
    }
    sources[place].append(to: &rows)
    rows.comma()
  }
}
