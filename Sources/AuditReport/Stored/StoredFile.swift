internal import AuditLog
internal import Files

struct StoredFile: ~Copyable {
  private static let chunkBytes = 1 << 20
  private static let lineLimit = 256 << 20

  let path: String
  let mode: UInt32
  private let file: OpenFile
  private var lines = LineReader()

  var lineNumber: UInt64 { lines.number }

  /// Opens a regular file. No link leads out of the report.
  init(folder: String, name: String) throws(AuditError) {
    let (file, status) = try Self.open(folder: folder, name: name)
    path = PathText.join(folder, name)
    mode = status.permissions
    self.file = file
    file.readsAhead()
  }

  /// Returns the next bytes, or none at the end. Do not call it behind ``nextLine()``.
  func next() throws(AuditError) -> [UInt8] { try file.readNext(limit: Self.chunkBytes) }

  /// Returns the next line without its LF, or nil at the end of the file.
  mutating func nextLine() throws(AuditError) -> ArraySlice<UInt8>? {
    let (file, path) = (file, path)
    return try lines.next(limit: Self.lineLimit) {
      AuditError(.invalid, "\(path): line \($0) is too long")
    } read: { () throws(AuditError) in
      try file.readNext(limit: Self.chunkBytes)
    }
  }

  consuming func whole(limit: Int) throws(AuditError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try next()
      if bytes.isEmpty { return all }
      all += bytes
      guard all.count <= limit else { throw AuditError(.invalid, "\(path) is too long") }
    }
  }

  static func open(
    folder: String, name: String
  ) throws(AuditError) -> (file: OpenFile, status: FileStatus) {
    let path = PathText.join(folder, name)
    let file: OpenFile?
    do throws(AuditError) { file = try Folder(path: folder).open(name) } catch {
      throw AuditError(.invalid, error.context)
    }
    guard let file else { throw AuditError(.invalid, "\(path) is not there") }
    guard let status = file.status, status.kind == .file else {
      throw AuditError(.invalid, "\(path) is not a regular file")
    }
    return (file, status)
  }
}

/// A JSON value of a report, with the values inside it.
struct StoredValue {
  /// The value, followed by the values inside it.
  private let values: JSONNodes

  /// Reads a text that is one JSON object.
  init?(_ text: ArraySlice<UInt8>, _ document: JSONDocument) {
    guard let values = document.read(text), values.first?.kind == .object else { return nil }
    self.values = values[...]
  }

  private init(values: JSONNodes) { self.values = values }

  private var kind: JSONDocument.Kind { values[values.startIndex].kind }

  /// The member of that name, or nil if it is absent or null.
  subscript(name: String) -> StoredValue? {
    let member = members.first { $0.name.elementsEqual(name.utf8) }?.value
    return member.flatMap { $0.isNull ? nil : $0 }
  }

  /// The members of an object, with their names. Any other value has none.
  var members: [(name: ArraySlice<UInt8>, value: StoredValue)] {
    guard kind == .object else { return [] }
    return values.parts.compactMap { part in
      part.first?.name.map { ($0, StoredValue(values: part)) }
    }
  }

  var isNull: Bool { kind == .null }

  var elements: [StoredValue] { kind == .array ? values.parts.map { StoredValue(values: $0) } : [] }

  var string: String? {
    kind == .string ? String(decoding: values[values.startIndex].text, as: UTF8.self) : nil
  }

  /// Returns the text of a column's value, or nil if the value is of another kind.
  func text(_ column: ColumnKind) -> String? {
    switch (column, kind) {
    case (.number, .number), (.text, .string), (.time, .string):
      String(decoding: values[values.startIndex].text, as: UTF8.self)
    case (.words, .array): elements.compactMap(\.string).joined(separator: ";")
    default: nil
    }
  }

  /// Returns a whole number from 0, or nil for any other value.
  func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    guard kind == .number else { return nil }
    return Number(String(decoding: values[values.startIndex].text, as: UTF8.self))
  }
}
