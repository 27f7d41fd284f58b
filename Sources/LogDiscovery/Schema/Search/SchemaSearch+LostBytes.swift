/// Bodies that were logged as parsed objects, so that the signed bytes are lost.
extension SchemaSearch {
  /// The inverse of the share of tokens that may be forged.
  private static let forgedPart = 50

  /// True where most requests hold an object that may be a body.
  var hasParsedBody: Bool {
    let lines = requestLines
    return lines.count { line in
      line.values.contains { value in
        value.kind == .object
          && NameWords(sample.pointers.name(value.pointer)).contains(["body", "payload", "request"])
      }
    } * 2 > lines.count
  }

  /// Returns the text about bodies that are logged as objects, which were parsed and written again,
  /// or nil if there are none. A way of writing them is accepted only if it holds for (nearly)
  /// every token. The rest are forged.
  func lostBytes(_ role: Role, _ forms: [(form: DataForm, hits: Int)]) -> String? {
    let search = data(role)
    let hits = forms.reduce(0) { $0 + $1.hits }
    let allowed = max(1, search.examined / Self.forgedPart)
    for (form, _) in forms {
      guard case .written(let pointer, let isSorted) = form else { continue }
      let isWhole = hits + allowed >= search.examined
      return Self.lost(
        sample.pointers.text(pointer),
        "written anew without spaces"
          + (isSorted ? ", its members in order," : ""), hits, of: search.examined,
        command: isWhole ? unparse(pointer, isSorted: isSorted) : nil)
    }
    guard let (form, _) = forms.first, case .value(let pointer, _, _) = form else { return nil }
    let objects = requestLines.count {
      $0[pointer]?.kind == .object || $0[pointer]?.kind == .array
    }
    guard objects > allowed, hits + allowed < search.examined else { return nil }
    return Self.lost(
      sample.pointers.text(pointer), "as it stands", hits, of: search.examined, command: nil)
  }

  private static func lost(
    _ place: String, _ form: String, _ hits: Int, of examined: Int, command: String?
  ) -> String {
    "clientData: \(place) holds the body as a parsed object, and the bytes that were signed are lost: "
      + "\(form) it holds for \(hits) of \(examined) tokens; "
      + (command.map { "\($0) | attest-audit init - takes it so" } ?? "have it logged as text")
  }

  /// Returns a command that makes texts of the objects at a pointer, or nil if no program reaches
  /// them.
  private func unparse(_ pointer: Int, isSorted: Bool) -> String? {
    let line = requestLines.first { $0[pointer]?.kind == .object || $0[pointer]?.kind == .array }
    guard let line, let path = ProgramText.path(to: pointer, in: line, sample.pointers) else {
      return nil
    }
    return ProgramText.unparse(path, isSorted: isSorted, source: sample.sources[line.source])
  }
}
