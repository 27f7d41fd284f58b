package import AppAttest
package import AuditEngine
import AuditLog

/// A list of keys attested before the logs begin: CSV with a header, or JSON Lines.
package struct KnownKeysFile {
  package private(set) var keys: [KnownKey] = []
  /// The notices about the file, one line each.
  package private(set) var notices: [String] = []

  private let name: NamedPath
  private let app: String?
  private let document = JSONDocument()
  private var lines: [Digest256: Int] = [:]
  private var ignored: [String] = []

  package static func read(
    _ name: NamedPath, app: String? = nil
  ) throws(CommandError) -> KnownKeysFile {
    var file = KnownKeysFile(name: name, app: app)
    try file.readLines()
    if !file.ignored.isEmpty {
      file.notices.append(
        "\(name.path): columns that are not read: \(file.ignored.joined(separator: ", "))")
    }
    return file
  }

  private init(name: NamedPath, app: String?) {
    self.name = name
    self.app = app
  }

  private mutating func readLines() throws(CommandError) {
    let source = try ByteSource(name, status: .invalidFile)
    var lines = LineReader()
    var csv: (rows: CSVRows, header: [String]?) = (CSVRows(), nil)
    var isJSON: Bool?
    var rowStart = 0
    while var line = try lines.next(
      limit: Self.lineLimit,
      tooLong: { error(Int($0), "the line is too long for a key") },
      read: { () throws(CommandError) in try source.next() })
    {
      if lines.number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
      if !csv.rows.isInsideField {
        rowStart = Int(lines.number)
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      }
      let json = isJSON ?? (line.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "{"))
      isJSON = json
      if json {
        try add(try jsonTexts(line, rowStart), at: rowStart)
      } else if let row = try csvRow(&csv.rows, line, rowStart) {
        guard let header = csv.header else {
          let names = row.map(KnownKeyRow.column)
          try check(header: names, isReport: row.first == "key_id", at: rowStart)
          csv.header = names
          continue
        }
        guard row.count == header.count else {
          throw error(rowStart, "\(row.count) fields, where the header has \(header.count)")
        }
        try add(Dictionary(uniqueKeysWithValues: zip(header, row)), at: rowStart)
      }
    }
    if csv.rows.isInsideField { throw error(rowStart, "a quoted field does not end") }
    if isJSON == nil { throw error(1, "the file is empty", hint: Self.formHint) }
  }

  private static let lineLimit = 1 << 20

  private static let formHint =
    "a list of known keys is CSV with a header, or JSON Lines, with "
    + KnownKeyRow.needed.joined(separator: ", ")

  private func csvRow(
    _ rows: inout CSVRows, _ line: ArraySlice<UInt8>, _ rowStart: Int
  ) throws(CommandError) -> [String]? {
    do throws(CSVRows.Problem) {
      return try rows.take(Array(line))
    } catch let problem {
      throw error(
        rowStart,
        problem == .tooLong
          ? "the row is too long for a key" : "a quote is in a wrong place (RFC 4180)")
    }
  }

  /// Checks the names of the columns. The first one of a report's `keys.csv` is `key_id`.
  private mutating func check(header: [String], isReport: Bool, at line: Int) throws(CommandError) {
    for (index, column) in header.enumerated() where header[..<index].contains(column) {
      throw error(line, "the column '\(column)' occurs twice")
    }
    for column in KnownKeyRow.needed where !header.contains(column) {
      throw error(
        line, "the column '\(column)' is missing",
        hint: isReport
          ? "name the server's list of keys; keys.csv of a report contains no public keys"
          : Self.formHint)
    }
    note(header)
  }

  private func jsonTexts(
    _ line: ArraySlice<UInt8>, _ number: Int
  ) throws(CommandError) -> [String: String] {
    guard let values = document.read(line), values.first?.kind == .object else {
      throw error(number, "the line is not one JSON object")
    }
    var texts: [String: String] = [:]
    for value in values[...].parts.compactMap(\.first) {
      let column = KnownKeyRow.column(String(decoding: value.name ?? [], as: UTF8.self))
      let text: String
      switch value.kind {
      case .null: continue
      case .string, .number, .boolean: text = String(decoding: value.text, as: UTF8.self)
      // A JSON Web Key.
      case .object where column == "publicKey": text = String(decoding: value.raw, as: UTF8.self)
      case .object, .array:
        guard !KnownKeyRow.columns.contains(column) else {
          throw error(number, "\(column): neither text nor a number")
        }
        text = ""
      }
      guard texts.updateValue(text, forKey: column) == nil else {
        throw error(number, "the member '\(column)' occurs twice")
      }
    }
    return texts
  }

  private mutating func add(_ texts: [String: String], at line: Int) throws(CommandError) {
    note(texts.keys.sorted())
    var texts = texts
    if let app, texts["appId"]?.isEmpty != false { texts["appId"] = app }
    let key: KnownKey
    do throws(CommandError) { key = try KnownKeyRow(texts: texts).key() } catch {
      throw self.error(line, error.message)
    }
    if let first = lines.updateValue(line, forKey: key.keyID) {
      throw error(line, "the key is already on line \(first)")
    }
    keys.append(key)
  }

  /// Remembers the first few columns that are not read.
  private mutating func note(_ columns: [String]) {
    for column in columns
    where !KnownKeyRow.columns.contains(column) && ignored.count < 16 && !ignored.contains(column) {
      ignored.append(column)
    }
  }

  private func error(_ line: Int, _ text: String, hint: String? = nil) -> CommandError {
    CommandError(.invalidFile, "\(name.path):\(line): \(text)", hint: hint)
  }
}

/// One row of a list of known keys, whatever its form, as texts by the names of their columns.
package struct KnownKeyRow {
  package static let columns = [
    "keyId", "publicKey", "appId", "environment", "attestedAt", "lastCounter", "subject",
    "deviceId", "attestationLogged",
  ]
  static let needed = ["keyId", "publicKey"]

  /// Returns the column of a name without case, `_` and `-` (`records.R90`), or the name.
  static func column(_ name: String) -> String { columnsByName[plain(name)] ?? name }

  private static let columnsByName = Dictionary(
    uniqueKeysWithValues: columns.map { (plain($0), $0) })

  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  /// The texts of the row. An empty text counts as absent.
  let texts: [String: String]

  func key() throws(CommandError) -> KnownKey {
    let keyID = try SettingFormat.keyID.value(needed("keyId"), of: "keyId")
    let point = try PublicKeyText.point(needed("publicKey")).orThrow(
      "publicKey: not a key on P-256 as point, SPKI, COSE key, JWK, PEM or certificate",
      status: .invalidFile)
    try CommandError.require(
      Digest256.sha256(point.span) == keyID, "publicKey: its SHA-256 is not keyId",
      status: .invalidFile)
    var key = KnownKey(keyID: keyID, publicKey: point, appID: try value("appId", .appID) ?? "")
    key.environment = try value("environment", .environment)
    key.attestedAt = try value("attestedAt", .time)
    key.lastCounter = try value("lastCounter", .counter)
    key.subject = present("subject")
    key.deviceID = present("deviceId")
    key.isAttestationLogged = present("attestationLogged") == "true"
    return key
  }

  private func present(_ column: String) -> String? {
    texts[column].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func needed(_ column: String) throws(CommandError) -> String {
    try present(column).orThrow("\(column) is missing", status: .invalidFile)
  }

  private func value<Value>(
    _ column: String, _ format: SettingFormat<Value>
  ) throws(CommandError) -> Value? {
    try format.value(present(column), of: column)
  }

  package static func keyID(_ text: String) -> Digest256? {
    [KeyTexts.hex(text), KeyTexts.base64(text)].lazy.compactMap { $0.flatMap { Digest256($0) } }
      .first
  }
}

extension SettingFormat<Int64> {
  /// The format of a time, in milliseconds since 1970: RFC 3339, or a number, of seconds below 1e11.
  fileprivate static var time: SettingFormat {
    SettingFormat(expected: "an RFC 3339 time, or seconds or milliseconds since 1970") { text in
      let bytes = Array(text.utf8)
      return text.wholeMatch(of: /[0-9]+(\.[0-9]+)?/) == nil
        ? LogTime.parse(rfc3339: bytes.span) : LogTime.parse(number: bytes.span)
    }
  }
}
