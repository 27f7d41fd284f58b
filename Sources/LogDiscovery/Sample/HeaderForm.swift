import AuditLog

/// The forms in which loggers write headers, and which an audit accepts.
enum HeaderForm {
  typealias Header = (name: ArraySlice<UInt8>, value: JSONNodes)

  /// The largest number of headers of a line that are examined.
  private static let limit = 128
  private static let nameMembers = ["name", "key"]
  private static let typedMembers = [
    "value", "stringvalue", "intvalue", "boolvalue", "doublevalue", "bytesvalue", "arrayvalue",
    "values",
  ]

  /// Returns the headers in a list of objects, pairs or strings, or nil if it is no such list.
  static func list(_ nodes: JSONNodes) -> [Header]? {
    guard nodes.first?.kind == .array else { return nil }
    let elements = nodes.parts.prefix(limit)
    if elements.first?.first?.kind == .string { return strings(elements.compactMap(\.first)) }
    let headers = elements.compactMap { $0.first?.kind == .object ? object($0) : pair($0) }
    return headers.isEmpty || headers.count < elements.count ? nil : headers
  }

  private static func object(_ nodes: JSONNodes) -> Header? {
    let members = nodes.parts
    guard members.count <= 4,
      let name = members.first(where: { isOne($0, nameMembers) })?.first, name.kind == .string,
      let value = members.first(where: { isOne($0, ["value"]) })
    else { return nil }
    return (name.text, value)
  }

  private static func pair(_ nodes: JSONNodes) -> Header? {
    let elements = nodes.parts
    // A number before a value is a time, and no name.
    guard nodes.first?.kind == .array, elements.count == 2, let name = elements[0].first,
      name.kind == .string, isName(name.text),
      name.text.contains(where: { (0x61...0x7A).contains($0 | 0x20) })
    else { return nil }
    return (name.text, elements[1])
  }

  private static func strings(_ elements: [JSONDocument.Value]) -> [Header]? {
    guard elements.count >= 2, elements.allSatisfy({ $0.kind == .string }) else { return nil }
    let lines = elements.compactMap { line($0.text) }
    if lines.count == elements.count { return lines }
    let pairs = stride(from: 0, to: elements.count - 1, by: 2).map {
      (elements[$0].text, text(elements[$0 + 1].text))
    }
    let known = ["host", "content-type", "user-agent", "accept"]
    guard elements.count % 2 == 0, lines.isEmpty || line(elements[0].text) == nil,
      pairs.allSatisfy({ isName($0.0) }),
      pairs.contains(where: { known.contains(String(decoding: $0.0, as: UTF8.self).lowercased()) })
    else { return nil }
    return pairs
  }

  /// Returns the headers in a text of lines, the first of which may be a request's, or nil.
  static func block(_ text: ArraySlice<UInt8>) -> [Header]? {
    guard text.contains(0x0A) else { return nil }
    let lines = text.split { $0 == 0x0A || $0 == 0x0D }
    let headers = lines.prefix(limit).compactMap(line)
    guard headers.count >= 2, headers.count + 1 >= min(lines.count, limit) else { return nil }
    return headers
  }

  /// Returns whether an object has lists for values. Go and others write headers in that form.
  static func hasLists(_ nodes: JSONNodes) -> Bool {
    guard nodes.first?.kind == .object else { return false }
    let members = nodes.parts
    return members.count >= 2
      && members.allSatisfy { $0.first?.kind == .array && $0.dropFirst().first?.kind == .string }
  }

  /// Returns the value in a list of one, or in an object that gives its type.
  static func unwrapped(_ nodes: JSONNodes) -> JSONNodes {
    var nodes = nodes
    for _ in 0..<4 {
      var inner = nodes.parts
      if nodes.first?.kind == .object {
        guard inner.first.map({ isOne($0, typedMembers + nameMembers) }) ?? false else { break }
        inner.removeAll { !isOne($0, typedMembers) }
      }
      guard inner.count == 1 else { break }
      nodes = inner[0]
    }
    return nodes
  }

  private static func isOne(_ nodes: JSONNodes, _ names: [String]) -> Bool {
    guard let name = nodes.first?.name, name.count <= 16 else { return false }
    return names.contains(String(decoding: name, as: UTF8.self).lowercased())
  }

  /// Splits a line of the form `Name: value`.
  private static func line(_ line: ArraySlice<UInt8>) -> Header? {
    guard let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")), isName(line[..<colon])
    else { return nil }
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let value = line[(colon + 1)...].drop(while: isSpace)
    let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
    return (line[..<colon], text(value[..<end]))
  }

  private static func text(_ text: ArraySlice<UInt8>) -> JSONNodes {
    [JSONDocument.Value(text: text)]
  }

  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    let plain = name.first == UInt8(ascii: ":") ? name.dropFirst() : name
    return (1...100).contains(plain.count)
      && plain.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
  }
}
