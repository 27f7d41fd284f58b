import AuditLog

/// Bodies that were logged as parsed objects, so that the signed bytes are lost.
extension SchemaSearch {
  /// The inverse of the share of tokens that may be forged.
  private static let forgedPart = 50

  /// Whether most requests hold an object that may be a body.
  var hasParsedBody: Bool {
    let lines = requestLines
    return lines.count { line in
      line.values.contains { value in
        value.kind == .object
          && NameWords(sample.pointers.name(value.pointer)).contains(["body", "payload", "request"])
      }
    } * 2 > lines.count
  }

  /// The text about bodies that are logged as Python shows bytes, or nil if most are not.
  var pythonBytes: String? {
    let lines = requestLines
    let found = lines.counts { value in
      let text = value.text
      guard value.kind == .string, text.first == UInt8(ascii: "b"), text.count > 2,
        let quote = text.dropFirst().first
      else { return false }
      return "'\"".utf8.contains(quote) && text.last == quote
    }.most
    guard let (pointer, count) = found, count * 2 > lines.count else { return nil }
    return "clientData: \(sample.pointers.text(pointer)) is bytes as Python shows them (b'…'), on "
      + "\(count) of \(lines.count) lines: log body.decode(), or undo it with ast.literal_eval"
  }

  /// Returns the text about bodies that are logged as objects, which were parsed and written again,
  /// or nil if there are none. A way of writing them is accepted only if it holds for (nearly)
  /// every token. The rest are forged.
  func lostBytes(_ search: DataSearch, _ forms: [(form: DataForm, hits: Int)]) -> String? {
    let hits = forms.reduce(0) { $0 + $1.hits }
    let allowed = max(1, search.examined / Self.forgedPart)
    for (form, _) in forms {
      guard let json = form.change.json, let pointer = form.pointer else { continue }
      let isWhole = hits + allowed >= search.examined
      let command =
        isWhole && !json.hasSpaces && !json.escapesSlashes && !json.escapesUnicode
        ? unparse(pointer, isSorted: json.isSorted) : nil
      return Self.lost(
        sample.pointers.text(pointer),
        isObject: !requestLines.contains { $0[pointer]?.isText ?? false },
        json.words + ",", hits, of: search.examined, command: command)
    }
    guard let form = forms.first?.form, let pointer = form.pointer else { return nil }
    let objects = requestLines.count {
      $0[pointer]?.kind == .object || $0[pointer]?.kind == .array
    }
    guard objects > allowed, hits + allowed < search.examined else { return nil }
    return Self.lost(
      sample.pointers.text(pointer), "as it stands", hits, of: search.examined, command: nil)
  }

  private static func lost(
    _ place: String, isObject: Bool = true, _ form: String, _ hits: Int, of examined: Int,
    command: String?
  ) -> String {
    "clientData: \(place) is "
      + (isObject ? "a parsed object" : "not what was signed")
      + ", and the bytes that were signed are lost: \(form) it makes \(hits) of \(examined) tokens "
      + "valid; "
      + (command.map { "\($0) | attest-audit init -" } ?? "log what was signed")
  }

  /// Returns a command that makes texts of the objects at a pointer, or nil if no program reaches
  /// them.
  private func unparse(_ pointer: Int, isSorted: Bool) -> String? {
    let line = requestLines.first { $0[pointer]?.kind != nil }
    guard let line, let path = ProgramText.path(to: pointer, in: line, sample.pointers) else {
      return nil
    }
    return ProgramText.unparse(path, isSorted: isSorted, source: sample.sources[line.source])
  }
}
