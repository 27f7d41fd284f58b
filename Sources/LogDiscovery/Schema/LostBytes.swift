import AuditLog

/// Bodies that were not logged as they were signed.
struct LostBytes {
  let sample: LogSample
  /// The lines of requests with tokens.
  let lines: [SampleLine]

  /// The text about bodies that are logged as Python shows bytes, or nil if most are not.
  var pythonBytes: String? {
    let found = lines.counts { value in
      let text = value.text
      return value.kind == .string && text.count > 2 && text.first == UInt8(ascii: "b")
        && "'\"".utf8.contains(text[text.startIndex + 1])
        && text.last == text[text.startIndex + 1]
    }.most
    guard let (pointer, count) = found, count * 2 > lines.count else { return nil }
    return "clientData: \(sample.pointers.text(pointer)) is bytes as Python shows them (b'…'), on "
      + "\(count) of \(lines.count) lines: log body.decode(), or undo it with ast.literal_eval"
  }

  /// Advice for logs in which most requests have an object that may be a body, or an empty text.
  var hint: String {
    let found = lines.count { line in
      line.values.contains { value in
        value.kind == .object
          && NameWords(sample.pointers.name(value.pointer)).contains(["body", "payload", "request"])
      }
    }
    return found * 2 > lines.count
      ? "; if bodies are logged as parsed objects, the bytes that were signed are lost: have them "
        + "logged as text" : ""
  }

  /// Returns the text about bodies that were parsed and written again, or nil. A way of writing is
  /// accepted only if it is valid for nearly every token.
  func complaint(_ search: DataSearch, _ forms: [(form: DataForm, hits: Int)]) -> String? {
    let hits = forms.reduce(0) { $0 + $1.hits }
    let forged = max(1, search.examined / 50)
    func text(_ pointer: Int, _ what: String, _ form: String, _ command: String?) -> String {
      "clientData: \(sample.pointers.text(pointer)) is \(what), and the bytes that were signed are "
        + "lost: \(form) it makes \(hits) of \(search.examined) tokens valid; "
        + (command.map { "\($0) | attest-audit init -" } ?? "log what was signed")
    }
    if let form = forms.lazy.map(\.form).first(where: { $0.change.json != nil && $0.pointer != nil }
    ),
      let json = form.change.json, let pointer = form.pointer
    {
      let isPlain = !json.hasSpaces && !json.escapesSlashes && !json.escapesUnicode
      return text(
        pointer,
        lines.contains { $0[pointer]?.isText ?? false } ? "not what was signed" : "a parsed object",
        json.words + ",",
        isPlain && hits + forged >= search.examined
          ? unparse(pointer, isSorted: json.isSorted) : nil)
    }
    guard let pointer = forms.first?.form.pointer, hits + forged < search.examined else {
      return nil
    }
    let objects = lines.count { [.object, .array].contains($0[pointer]?.kind) }
    return objects > forged ? text(pointer, "a parsed object", "as it stands", nil) : nil
  }

  /// Returns a command that makes texts of the objects at a pointer, or nil.
  private func unparse(_ pointer: Int, isSorted: Bool) -> String? {
    let line = lines.first { $0[pointer]?.kind != nil }
    guard let line, let path = ProgramText.path(to: pointer, in: line, sample.pointers) else {
      return nil
    }
    return ProgramText.unparse(path, isSorted: isSorted, source: sample.sources[line.source])
  }
}
