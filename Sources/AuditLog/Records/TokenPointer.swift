/// A search for the place of a token in a line: its JSON Pointer (`records.R55`).
struct TokenPointer {
  private let document = JSONDocument()
  private let search: TokenSearch

  init(_ search: TokenSearch) { self.search = search }

  /// Returns the pointer of the first value with a token that `search` does not know, through strings that contain
  /// JSON, or an empty one if none is found. Values that begin in `audited` bytes of the line are not searched; those
  /// with the text of an audited token only if no other has a token (`records.R83`).
  func find(in line: [UInt8], except audited: Range<Int> = 0..<0) -> [UInt8] {
    find(in: line, at: [], audited, isKnown: search.audited.hasText)
      ?? find(in: line, at: [], audited, isKnown: { _ in false }) ?? []
  }

  private func find(
    in text: [UInt8], at pointer: [UInt8], _ audited: Range<Int>,
    isKnown: (ArraySlice<UInt8>) -> Bool
  ) -> [UInt8]? {
    guard let values = document.read(text[...], takesOdd: true, joinsNumbers: true) else {
      return nil
    }
    /// The pointer of the value at hand, and the objects and arrays around it with the lengths of theirs.
    var place = pointer
    var levels: [(end: Int, next: Int, length: Int)] = []
    for (index, value) in values.enumerated() {
      while let last = levels.last, index >= last.end { levels.removeLast() }
      guard !audited.contains(value.raw.startIndex) else { continue }
      if let level = levels.last {
        place.removeSubrange(level.length...)
        place.append(UInt8(ascii: "/"))
        place += value.name.map(Self.escaped) ?? Array("\(level.next)".utf8)
        levels[levels.count - 1].next += value.elements
        if let name = value.name, holdsToken(name) { return place }
      }
      switch value.kind {
      case .string:
        let text = Array(value.text)
        guard !isKnown(value.text), holdsToken(value.text, isDecoded: true) else { continue }
        let isJSON = text.first { $0 > UInt8(ascii: " ") }.map {
          $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[")
        }
        return (isJSON == true ? find(in: text, at: place, 0..<0, isKnown: isKnown) : nil)
          ?? place
      case .array, .object:
        if holdsBytes(value), holdsToken(value.raw) { return place }
        // An array up to its last number before anything else.
        if value.kind == .array, value.size > 1, values[index + 1].kind == .number,
          holdsToken(text[value.raw.startIndex..<values[index + 1].raw.endIndex])
        {
          return place
        }
        levels.append((index + value.size, 0, place.count))
      case .number, .boolean, .null: continue
      }
    }
    return nil
  }

  private func holdsBytes(_ value: JSONDocument.Value) -> Bool {
    var bytes = ByteBuffer(capacity: 64)
    return unsafe value.raw.withUnsafeBufferPointer {
      unsafe ByteArray.decode($0, into: &bytes) != nil
    }
  }

  private func holdsToken(_ text: ArraySlice<UInt8>, isDecoded: Bool = false) -> Bool {
    let padded = text + [UInt8](repeating: 0, count: LineBatch.padding)
    return unsafe padded.withUnsafeBufferPointer {
      unsafe search.finds(
        UnsafeBufferPointer(rebasing: $0[..<text.count]), isDecoded: isDecoded)
    }
  }

  /// Returns the names of the members of the outermost object, sorted by bytes, with commas between them.
  func names(of line: [UInt8]) -> [UInt8] {
    guard let values = document.read(line[...], takesOdd: true, joinsNumbers: true) else {
      return []
    }
    var names: [[UInt8]] = []
    var index = 1
    while index < values.count {
      if let name = values[index].name { names.append(Array(name)) }
      index += values[index].size
    }
    names.sort { $0.lexicographicallyPrecedes($1) }
    return Array(names.joined(separator: [UInt8(ascii: ",")]))
  }

  /// Returns a name as RFC 6901 writes it.
  private static func escaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
    name.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "~"): Array("~0".utf8)
      case UInt8(ascii: "/"): Array("~1".utf8)
      default: [byte]
      }
    }
  }
}
