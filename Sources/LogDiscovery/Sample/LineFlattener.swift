import AuditLog

/// A converter of lines into their values, each with its pointer, including those in strings that
/// themselves hold JSON. The work is bounded by the line's length: no value is examined more often
/// than it is nested.
struct LineFlattener {
  /// The largest number of values of a line that are kept.
  static let valueLimit = 256
  /// The length of the longest pointer, in names, that a schema may hold.
  private static let depthLimit = 16
  /// The largest number of elements of an array that get a pointer.
  private static let elementLimit = 8
  /// The largest number of pointers that one line may add, so that no line can fill the table
  /// alone.
  private static let newPointerLimit = 96
  /// The largest number of member names of a line that are looked up.
  private static let nameLimit = 512

  private let document: JSONDocument
  private var values: [SampleValue] = []
  private var seen: Set<Int> = []
  private var added = 0
  private var names = 0
  private var hasDuplicates = false
  /// The wrappings of this line's strings, by pointer.
  private let wrappings: [Int: SchemaWrapping.Form]

  private init(_ document: JSONDocument, _ wrappings: [Int: SchemaWrapping.Form]) {
    self.document = document
    self.wrappings = wrappings
  }

  /// Returns the values of a line, and whether a name occurs twice. A line that is not a JSON object
  /// has no values.
  ///
  /// - Parameter wrappings: The wrappings of strings of this line, by pointer.
  static func flatten(
    _ line: ArraySlice<UInt8>, _ pointers: inout PointerTable,
    _ document: JSONDocument = JSONDocument(), wrappings: [Int: SchemaWrapping.Form] = [:]
  ) -> (values: [SampleValue], hasDuplicates: Bool) {
    guard let nodes = document.read(line, takesOdd: true), nodes[0].kind == .object else {
      return ([], false)
    }
    return flatten(nodes, &pointers, document, wrappings: wrappings)
  }

  /// Returns the same of an object that was read.
  static func flatten(
    _ nodes: [JSONDocument.Value], _ pointers: inout PointerTable, _ document: JSONDocument,
    wrappings: [Int: SchemaWrapping.Form] = [:]
  ) -> (values: [SampleValue], hasDuplicates: Bool) {
    var flattener = LineFlattener(document, wrappings)
    flattener.take(nodes[...], at: PointerTable.root, depth: 0, &pointers)
    return (flattener.values, flattener.hasDuplicates)
  }

  /// Takes the first of `nodes` and the values inside it.
  private mutating func take(
    _ nodes: ArraySlice<JSONDocument.Value>, at pointer: Int, depth: Int,
    _ pointers: inout PointerTable
  ) {
    guard depth <= Self.depthLimit, values.count < Self.valueLimit, let node = nodes.first else {
      return
    }
    if node.kind == .string {
      let text = wrappings[pointer].flatMap { ValueDecoder.unwrap(node.text, $0) } ?? node.text
      keep(node, pointer, text)
      enter(text, at: pointer, depth: depth, &pointers)
    } else {
      takeInside(nodes, at: pointer, depth: depth, &pointers)
      keep(node, pointer, node.text)
    }
  }

  /// Takes the members or elements of the first of `nodes`.
  private mutating func takeInside(
    _ nodes: ArraySlice<JSONDocument.Value>, at pointer: Int, depth: Int,
    _ pointers: inout PointerTable
  ) {
    guard !takeHeaders(nodes, at: pointer, depth: depth, &pointers) else { return }
    let areHeaders = pointers.headers.contains(pointer)
    var next = nodes.startIndex + 1
    let end = nodes.startIndex + (nodes.first?.size ?? 0)
    var index = 0
    while next < end {
      let node = nodes[next]
      let name = node.name ?? Array(String(index).utf8)[...]
      let isTaken = node.name != nil || index < Self.elementLimit
      if isTaken, let member = member(name, of: pointer, &pointers) {
        // If a name occurs twice, the first counts here. An audit reports the line.
        if seen.insert(member).inserted {
          let inner = nodes[next..<(next + node.size)]
          take(
            areHeaders ? HeaderForm.unwrapped(inner) : inner, at: member, depth: depth + 1,
            &pointers)
        } else {
          hasDuplicates = true
        }
      }
      next += node.size
      index += 1
    }
  }

  /// Takes the headers that the first of `nodes` holds in a form of their own. Returns false if it
  /// holds none.
  private mutating func takeHeaders(
    _ nodes: ArraySlice<JSONDocument.Value>, at pointer: Int, depth: Int,
    _ pointers: inout PointerTable
  ) -> Bool {
    guard pointer != PointerTable.root, let kind = nodes.first?.kind else { return false }
    if kind == .object {
      if HeaderForm.hasLists(nodes) { pointers.mark(headers: pointer) }
      return false
    }
    if let headers = HeaderForm.list(nodes) {
      pointers.mark(headers: pointer)
      for (name, value) in headers {
        guard let member = member(name, of: pointer, &pointers) else { continue }
        if seen.insert(member).inserted {
          take(HeaderForm.unwrapped(value), at: member, depth: depth + 1, &pointers)
        } else {
          hasDuplicates = true
        }
      }
      return true
    }
    guard let headers = HeaderForm.strings(nodes) else { return false }
    takeLines(headers, at: pointer, depth: depth, &pointers)
    return true
  }

  private mutating func takeLines(
    _ headers: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)], at pointer: Int, depth: Int,
    _ pointers: inout PointerTable
  ) {
    pointers.mark(headers: pointer)
    for (name, text) in headers {
      guard let member = member(name, of: pointer, &pointers) else { continue }
      guard seen.insert(member).inserted, values.count < Self.valueLimit else {
        hasDuplicates = true
        continue
      }
      let plain = wrappings[member].flatMap { ValueDecoder.unwrap(text, $0) } ?? text
      values.append(SampleValue(pointer: member, kind: .string, text: plain, raw: text))
      enter(plain, at: member, depth: depth + 1, &pointers)
    }
  }

  /// Takes the values in a string's text if that is an object or an array and nothing else.
  private mutating func enter(
    _ text: ArraySlice<UInt8>, at pointer: Int, depth: Int, _ pointers: inout PointerTable
  ) {
    let first = text.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    guard depth < Self.depthLimit, let first, !text.isEmpty else { return }
    guard "{[\"".utf8.contains(first) else {
      if let headers = HeaderForm.block(text), pointer != PointerTable.root {
        takeLines(headers, at: pointer, depth: depth, &pointers)
      }
      return
    }
    guard let nodes = document.read(text), let whole = nodes.first else { return }
    // A string may hold a string that holds the JSON.
    if whole.kind == .string {
      if whole.text.count < text.count {
        enter(whole.text, at: pointer, depth: depth + 1, &pointers)
      }
      return
    }
    takeInside(nodes[...], at: pointer, depth: depth, &pointers)
  }

  private mutating func member(
    _ name: ArraySlice<UInt8>, of parent: Int, _ pointers: inout PointerTable
  ) -> Int? {
    guard names < Self.nameLimit else { return nil }
    names += 1
    if let known = pointers.member(name, of: parent, mayAdd: false) { return known }
    guard added < Self.newPointerLimit else { return nil }
    added += 1
    return pointers.member(name, of: parent, mayAdd: true)
  }

  private mutating func keep(
    _ node: JSONDocument.Value, _ pointer: Int, _ text: ArraySlice<UInt8>
  ) {
    guard pointer != PointerTable.root, values.count < Self.valueLimit else { return }
    values.append(
      SampleValue(
        pointer: pointer, kind: SampleValue.Kind(node.kind), text: text, raw: node.raw))
  }
}
