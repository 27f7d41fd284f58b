import AuditLog

/// Converts lines into values with pointers, also in strings that hold JSON, each examined once per level.
struct LineFlattener {
  /// The largest number of values of a line that are kept.
  static let valueLimit = 256
  /// The largest numbers of names in a pointer, of elements of an array that get a pointer, of
  /// member names of a line that are looked up, and of pointers that one line may add.
  private static let (depths, elements, lookups, additions) = (16, 8, 512, 96)

  private let document: JSONDocument
  private let wrappings: [Int: SchemaWrapping.Form]
  private var pointers = PointerTable()
  private var values: [SampleValue] = []
  private var seen: Set<Int> = []
  private var (added, names) = (0, 0)
  private var hasDuplicates = false

  private init(_ document: JSONDocument, _ wrappings: [Int: SchemaWrapping.Form]) {
    self.document = document
    self.wrappings = wrappings
  }

  /// Returns the values of a text, none unless it is an object, and whether a name occurs twice.
  static func flatten(
    _ line: ArraySlice<UInt8>, _ pointers: inout PointerTable,
    _ document: JSONDocument = JSONDocument(), wrappings: [Int: SchemaWrapping.Form] = [:],
    at pointer: Int = PointerTable.root
  ) -> (values: [SampleValue], hasDuplicates: Bool) {
    guard let nodes = document.read(line, takesOdd: true), nodes[0].kind == .object else {
      return ([], false)
    }
    var flattener = LineFlattener(document, wrappings)
    swap(&flattener.pointers, &pointers)
    flattener.append(nodes[...], at: pointer, depth: 0)
    swap(&flattener.pointers, &pointers)
    return (flattener.values, flattener.hasDuplicates)
  }

  /// Appends the first of `nodes` and the values inside it. A container follows its values.
  private mutating func append(_ nodes: JSONNodes, at pointer: Int, depth: Int) {
    guard depth <= Self.depths, let node = nodes.first else { return }
    guard node.kind == .string else {
      if !UnreadBytes.areIndexed(nodes) { appendInside(nodes, at: pointer, depth: depth) }
      return keep(node, pointer, node.text)
    }
    let text = wrappings[pointer].flatMap { ValueDecoder.unwrap(node.text, $0) } ?? node.text
    keep(node, pointer, text)
    appendInside(text, at: pointer, depth: depth)
  }

  private mutating func keep(
    _ node: JSONDocument.Value, _ pointer: Int, _ text: ArraySlice<UInt8>
  ) {
    guard pointer > PointerTable.line, values.count < Self.valueLimit else { return }
    values.append(SampleValue(pointer: pointer, kind: node.kind, text: text, raw: node.raw))
  }

  /// Appends the members or elements of the first of `nodes`, or the headers that it is.
  private mutating func appendInside(_ nodes: JSONNodes, at pointer: Int, depth: Int) {
    guard values.count < Self.valueLimit else { return }
    if pointer > PointerTable.line, let headers = HeaderForm.list(nodes) {
      return append(headers, at: pointer, depth: depth)
    }
    if HeaderForm.hasLists(nodes) { pointers.mark(headers: pointer) }
    let areHeaders = pointers.headers.contains(pointer)
    for (index, inner) in nodes.parts.enumerated() {
      let name = inner.first?.name
      guard name != nil || index < Self.elements else { return }
      append(
        areHeaders ? HeaderForm.unwrapped(inner) : inner, name ?? Array(String(index).utf8)[...],
        of: pointer, depth: depth)
    }
  }

  private mutating func append(_ headers: [HeaderForm.Header], at pointer: Int, depth: Int) {
    pointers.mark(headers: pointer)
    for (name, value) in headers {
      append(HeaderForm.unwrapped(value), name, of: pointer, depth: depth)
    }
  }

  /// Appends a member. If a name occurs twice, the first counts here. An audit reports the line.
  private mutating func append(
    _ nodes: JSONNodes, _ name: ArraySlice<UInt8>, of parent: Int, depth: Int
  ) {
    guard names < Self.lookups else { return }
    names += 1
    var found = pointers.member(name, of: parent, mayAdd: false)
    if found == nil, added < Self.additions {
      added += 1
      found = pointers.member(name, of: parent, mayAdd: true)
    }
    guard let member = found else { return }
    if seen.insert(member).inserted {
      append(nodes, at: member, depth: depth + 1)
    } else {
      hasDuplicates = true
    }
  }

  /// Appends the values in a string's text if that is JSON, strings in it too, or lines of headers.
  private mutating func appendInside(_ text: ArraySlice<UInt8>, at pointer: Int, depth: Int) {
    let first = text.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    guard depth < Self.depths, let first else { return }
    if !"{[\"".utf8.contains(first) {
      if let headers = HeaderForm.block(text) { append(headers, at: pointer, depth: depth) }
    } else if let nodes = document.read(text), let whole = nodes.first {
      if whole.kind != .string {
        appendInside(nodes[...], at: pointer, depth: depth)
      } else if whole.text.count < text.count {
        appendInside(whole.text, at: pointer, depth: depth + 1)
      }
    }
  }
}
