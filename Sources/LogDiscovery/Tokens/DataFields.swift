/// The assignment of the forms of client data to the fields of a rule.
struct DataFields {
  private let role: Role
  private let isRaw: Bool
  /// True where all forms have one encoding.
  private let isSingle: Bool
  /// The number of lines that were looked at.
  private let of: Int
  private(set) var fields: [FoundField] = []
  /// The forms for which no field is left, with the number of lines that they explain.
  private(set) var left: [(form: FoundField, hits: Int)] = []
  private var pointers: Set<Int> = []

  /// Assigns the forms to fields.
  ///
  /// - Parameters:
  ///   - of: The number of lines that were looked at.
  ///   - isRaw: True if client data are the clientDataHash itself (`hash: raw`).
  init(_ forms: [(form: DataForm, hits: Int)], role: Role, of: Int, isRaw: Bool) {
    self.role = role
    self.isRaw = isRaw
    self.of = of
    isSingle = Set(forms.map(\.form.encoding)).count == 1
    for (form, hits) in forms { add(form, hits) }
  }

  /// Returns the fields for client data, the one that suits the encoding best first.
  private func names(_ encoding: ValueEncoding) -> [String] {
    switch role {
    case .assertion:
      isSingle || encoding != .utf8 ? ["clientData", "payload"] : ["payload", "clientData"]
    default:
      isSingle || encoding == .utf8 ? ["challenge", "clientData"] : ["clientData", "challenge"]
    }
  }

  private mutating func add(_ form: DataForm, _ hits: Int) {
    guard case .value(let pointer, let encoding, let isHash) = form else {
      if case .template(let parts) = form { add(names(.utf8), .template(parts), "text", hits) }
      return
    }
    let what = isHash ? "\(encoding.rawValue), as it is," : "\(encoding.rawValue), its SHA-256"
    let isFree = pointers.insert(pointer).inserted
    let names =
      !isFree ? [] : isHash && !(isRaw && encoding == .utf8) ? ["clientDataHash"] : names(encoding)
    if let index = fields.firstIndex(where: { names.contains($0.name) }),
      case .pointers(let known, encoding.rawValue, _) = fields[index].form
    {
      fields[index].form = .pointers(known + [pointer], encoding: encoding.rawValue)
      fields[index].lines += hits
      return
    }
    add(names, .pointers([pointer], encoding: encoding.rawValue), what, hits)
  }

  private mutating func add(
    _ names: [String], _ form: FoundField.Form, _ what: String, _ hits: Int
  ) {
    let proof = role == .attestation ? "makes the nonce hold" : "makes the signature hold"
    let name = names.first { name in !fields.contains { $0.name == name } }
    let field = FoundField(
      name: name ?? "clientData", form: form, what: "\(what) \(proof)", sureness: .certain,
      lines: hits, of: of)
    if name != nil { fields.append(field) } else { left.append((field, hits)) }
  }
}
