internal import AuditLog

/// Fields, conditions and pointers in the syntax of a schema file.
package struct FieldText {
  private let pointers: PointerTable

  package init(pointers: PointerTable) {
    self.pointers = pointers
  }

  func pointer(_ number: Int) -> String { YAMLText.scalar(pointers.text(number)) }

  /// Returns the text after the field's name.
  func value(_ field: FoundField) -> String {
    switch field.form {
    case .pointers(let numbers, let encoding, let time):
      let first = list(numbers)
      let encoding = encoding == Self.ordinaryEncoding(field.name) ? nil : encoding
      let form = time?.text ?? ""
      if encoding == nil, form.isEmpty { return first }
      return "{pointer: \(first)" + (encoding.map { ", encoding: \($0)" } ?? "")
        + (form.isEmpty ? "" : ", \(form)") + "}"
    case .template(let parts):
      return "{template: \(YAMLText.quoted(template(parts)))}"
    case .table(let number, let table, let otherwise):
      let words = table.map { "\(YAMLText.scalar($0.text)): \($0.word)" }
        .joined(separator: ", ")
      return "{pointer: \(pointer(number)), values: {\(words)}"
        + (otherwise.map { ", otherwise: \($0)" } ?? "") + "}"
    }
  }

  /// Returns the place of the field, for people.
  package func place(_ field: FoundField) -> String {
    switch field.form {
    case .pointers(let numbers, _, _): numbers.map(pointers.text).joined(separator: " or ")
    case .template(let parts): template(parts)
    case .table(let number, _, _): pointers.text(number)
    }
  }

  package func condition(_ condition: FoundCondition) -> String {
    let place = "{pointer: \(list(condition.pointers)), "
    switch condition.test {
    case .isPresent: return place + "present: true}"
    case .isNone(let texts): return place + "not: \(list(texts))}"
    case .isOne(let texts): return place + "is: \(list(texts))}"
    case .isPath(let routes): return place + "path: \(list(routes.map(\.text)))}"
    }
  }

  private func list(_ texts: [String]) -> String {
    texts.count == 1
      ? YAMLText.scalar(texts[0])
      : "[" + texts.map(YAMLText.scalar).joined(separator: ", ") + "]"
  }

  /// Returns the encoding of a field that names none.
  private static func ordinaryEncoding(_ name: String) -> String? {
    switch name {
    case "challenge", "payload": "utf8"
    case "clientData": "base64"
    default: nil
    }
  }

  private func list(_ numbers: [Int]) -> String {
    numbers.count == 1
      ? pointer(numbers[0]) : "[" + numbers.map(pointer).joined(separator: ", ") + "]"
  }

  private func template(_ parts: [FoundPart]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text.replacing("{", with: "{{").replacing("}", with: "}}")
      case .value(let number): "{\(pointers.text(number))}"
      }
    }.joined()
  }
}
