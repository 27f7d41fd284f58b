import AuditLog

/// The assignment of the forms of client data to the fields of a rule.
struct DataFields {
  private let role: Role
  private let table: PointerTable
  private let isRaw: Bool
  /// Whether all forms have one encoding.
  private let isSingle: Bool
  private let of: Int
  private(set) var fields: [FieldNote] = []
  /// The forms that no schema can express, in words.
  private(set) var left: [String] = []
  /// The forms that the fields read.
  private(set) var assigned: [DataForm] = []
  private var pointers: Set<Int> = []
  private let lines: [SampleLine]

  /// Assigns the forms of some lines to fields, of so many examined lines. `isRaw` is true for `hash: raw`.
  init(
    _ forms: [(form: DataForm, hits: Int)], in lines: [SampleLine], role: Role, of: Int,
    isRaw: Bool, _ table: PointerTable
  ) {
    self.role = role
    self.lines = lines
    self.table = table
    self.isRaw = isRaw
    self.of = of
    isSingle = Set(forms.map(\.form.encoding)).count == 1
    for (form, hits) in forms { add(form, hits) }
  }

  /// Returns the fields for client data, the one that suits the encoding best first.
  private func names(_ encoding: FieldEncoding) -> [LogField] {
    switch role {
    case .assertion:
      isSingle || encoding != .utf8 ? [.clientData, .payload] : [.payload, .clientData]
    default: isSingle || encoding == .utf8 ? [.challenge, .clientData] : [.clientData, .challenge]
    }
  }

  private mutating func add(_ form: DataForm, _ hits: Int) {
    let proof = "makes the \(role == .attestation ? "nonce" : "signature") valid"
    // A pointer in a template has no braces.
    let hasBraces =
      form.pointer == nil
      && form.pointers.contains { table.text($0).contains { "{}".contains($0) } }
    guard form.isExpressible, !hasBraces else {
      return left.append(
        "\(form.words(table)) \(proof) on \(hits) of \(of) lines, and no schema can express that: "
          + "log what was signed")
    }
    // An audit refuses a line with two client data that differ.
    let disputed = lines.count { line in
      assigned.contains { other in
        let (one, second) = (other.hash(in: line), form.hash(in: line))
        return one != nil && second != nil && one != second
      }
    }
    guard disputed * 50 <= lines.count else { return }
    let encoding = form.encoding
    let isHash = form.isHash && !(isRaw && encoding == .utf8)
    let isFree = form.pointer.map { pointers.insert($0).inserted } ?? true
    let names = isFree ? isHash ? [.clientDataHash] : names(encoding) : []
    let place = form.pointer.map(table.pointer)
    for index in fields.indices where names.contains(fields[index].field) {
      let known = fields[index].mapping
      guard let place, case .pointers(let places) = known.source,
        known.encoding == Self.written(encoding, fields[index].field)
      else { continue }
      fields[index].mapping.source = .pointers(places + [place])
      fields[index].lines += hits
      assigned.append(form)
      return
    }
    guard let field = names.first(where: { name in !fields.contains { $0.field == name } }) else {
      return
    }
    assigned.append(form)
    let what =
      place == nil
      ? "text" : "\(encoding.rawValue), " + (form.isHash ? "as it is," : "its SHA-256")
    let mapping = FieldMapping(
      place.map { .pointers([$0]) } ?? .template(form.template(table)),
      encoding: place.flatMap { _ in Self.written(encoding, field) })
    fields.append(
      FieldNote(field: field, mapping: mapping, what: "\(what) \(proof)", lines: hits, of: of))
  }

  /// Returns the encoding that a schema has to name, or nil if the field has that encoding anyway.
  private static func written(_ encoding: FieldEncoding, _ field: LogField) -> FieldEncoding? {
    switch (field, encoding) {
    case (.challenge, .utf8), (.payload, .utf8), (.clientData, .base64): nil
    default: encoding
    }
  }
}

extension DataForm {
  fileprivate func template(_ pointers: PointerTable) -> [TemplatePart] {
    parts.map { part in
      switch part {
      case .text(let text): .text(text)
      case .value(let pointer, let isBase64):
        .pointer(pointers.pointer(pointer), isBase64 ? .base64 : .text)
      }
    }
  }
}
