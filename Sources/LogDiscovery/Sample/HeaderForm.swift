import AuditLog

/// The forms in which loggers write headers, and which an audit accepts.
enum HeaderForm {
  typealias Nodes = ArraySlice<JSONDocument.Value>

  /// A header with its value.
  typealias Header = (name: ArraySlice<UInt8>, value: Nodes)

  /// The largest number of headers of a line that are examined.
  private static let limit = 128
  private static let nameMembers = ["name", "key"]
  private static let valueMembers = ["value"]
  private static let typedMembers = [
    "value", "stringvalue", "intvalue", "boolvalue", "doublevalue", "bytesvalue", "arrayvalue",
    "values",
  ]

  /// Returns the headers in a list of objects or pairs, or nil if it is no such list.
  static func list(_ nodes: Nodes) -> [Header]? {
    let elements = children(nodes)
    guard let first = elements.first?.first, first.kind == .object || first.kind == .array else {
      return nil
    }
    var headers: [Header] = []
    for element in elements.prefix(limit) {
      guard let header = first.kind == .object ? object(element) : pair(element) else { return nil }
      headers.append(header)
    }
    return headers
  }

  private static func object(_ nodes: Nodes) -> Header? {
    guard nodes.first?.kind == .object else { return nil }
    let members = children(nodes)
    guard members.count <= 4,
      let name = members.first(where: { isOne($0, nameMembers) })?.first, name.kind == .string,
      let value = members.first(where: { isOne($0, valueMembers) })
    else { return nil }
    return (name.text, value)
  }

  private static func pair(_ nodes: Nodes) -> Header? {
    let elements = children(nodes)
    // A number before a value is a time, and no name.
    guard nodes.first?.kind == .array, elements.count == 2, let name = elements[0].first,
      name.kind == .string, isName(name.text),
      name.text.contains(where: { (0x61...0x7A).contains($0 | 0x20) })
    else { return nil }
    return (name.text, elements[1])
  }

  /// Returns the headers in a list of strings, which are lines, or names and values in turn, or nil
  /// if it is no such list.
  static func strings(_ nodes: Nodes) -> [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]? {
    let elements = children(nodes).prefix(limit).compactMap(\.first)
    guard elements.count >= 2, elements.allSatisfy({ $0.kind == .string }) else { return nil }
    let lines = elements.compactMap { line($0.text) }
    if lines.count == elements.count { return lines }
    let names = elements.indices.filter { $0 % 2 == 0 }.map { elements[$0].text }
    guard elements.count % 2 == 0, lines.isEmpty || line(elements[0].text) == nil,
      names.allSatisfy(isName), names.contains(where: isKnown)
    else { return nil }
    return names.indices.map { (names[$0], elements[2 * $0 + 1].text) }
  }

  /// Returns the headers in a text of lines, the first of which may be a request's, or nil if it is
  /// no such text.
  static func block(
    _ text: ArraySlice<UInt8>
  ) -> [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]? {
    guard text.contains(0x0A) else { return nil }
    let lines = text.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
      .filter { !$0.isEmpty }
    let headers = lines.prefix(limit).compactMap(line)
    guard headers.count >= 2, headers.count + 1 >= min(lines.count, limit) else { return nil }
    return headers
  }

  /// Returns whether an object has lists for values. Go and others write headers in that form.
  static func hasLists(_ nodes: Nodes) -> Bool {
    let members = children(nodes)
    return members.count >= 2
      && members.allSatisfy { $0.first?.kind == .array && $0.dropFirst().first?.kind == .string }
  }

  /// Returns the value in a list of one, or in an object that gives its type.
  static func unwrapped(_ nodes: Nodes) -> Nodes {
    var nodes = nodes
    for _ in 0..<4 {
      guard let kind = nodes.first?.kind, kind == .array || kind == .object else { return nodes }
      let inner = children(nodes)
      let chosen = kind == .array ? inner : inner.filter { isOne($0, typedMembers) }
      let isTyped =
        kind == .array
        || inner.first.map { isOne($0, typedMembers + nameMembers) } ?? false
      guard isTyped, chosen.count == 1, let only = chosen.first else { return nodes }
      nodes = only
    }
    return nodes
  }

  /// Returns the direct members or elements of an object or array.
  private static func children(_ nodes: Nodes) -> [Nodes] {
    var children: [Nodes] = []
    var next = nodes.startIndex + 1
    let end = nodes.startIndex + (nodes.first?.size ?? 0)
    while next < end {
      children.append(nodes[next..<(next + nodes[next].size)])
      next += nodes[next].size
    }
    return children
  }

  private static func isOne(_ nodes: Nodes, _ names: [String]) -> Bool {
    guard let name = nodes.first?.name, name.count <= 16 else { return false }
    return names.contains(String(decoding: name, as: UTF8.self).lowercased())
  }

  /// Splits a line of the form `Name: value`.
  private static func line(
    _ line: ArraySlice<UInt8>
  ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
    guard let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")),
      isName(line[..<colon])
    else { return nil }
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    var value = line[(colon + 1)...].drop(while: isSpace)
    while let last = value.last, isSpace(last) { value.removeLast() }
    return (line[..<colon], value)
  }

  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    let plain = name.first == UInt8(ascii: ":") ? name.dropFirst() : name
    return (1...100).contains(plain.count)
      && plain.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }

  private static func isKnown(_ name: ArraySlice<UInt8>) -> Bool {
    ["host", "content-type", "user-agent", "accept"].contains(
      String(decoding: name, as: UTF8.self).lowercased())
  }
}
