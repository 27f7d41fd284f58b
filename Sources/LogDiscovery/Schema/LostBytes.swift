import AuditLog

/// Bodies that were not logged as they were signed.
struct LostBytes {
  let sample: LogSample
  let lines: [SampleLine]

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

  /// Returns the text about bodies that were written again, in a way valid for nearly every token, or nil.
  func complaint(_ search: DataSearch, _ forms: [(form: DataForm, hits: Int)]) -> String? {
    let hits = forms.reduce(0) { $0 + $1.hits }
    let forged = max(1, search.examined / 50)
    func text(_ pointer: Int, _ what: String, _ form: String) -> String {
      "clientData: \(sample.pointers.text(pointer)) is \(what), and the bytes that were signed are "
        + "lost: \(form) it makes \(hits) of \(search.examined) tokens valid; log what was signed"
    }
    for form in forms.map(\.form) {
      guard let json = form.change.json, let pointer = form.pointer else { continue }
      let isText = lines.contains { $0[pointer]?.isText ?? false }
      return text(pointer, isText ? "not what was signed" : "a parsed object", json.words + ",")
    }
    guard let pointer = forms.first?.form.pointer, hits + forged < search.examined else {
      return nil
    }
    let objects = lines.count { [.object, .array].contains($0[pointer]?.kind) }
    return objects > forged ? text(pointer, "a parsed object", "as it stands") : nil
  }
}
