import AppAttest

/// A decision whether one clientDataHash can be used twice (`records.R75`, `records.R96`).
package struct ReplayScopeChoice {
  /// The number of verified assertions whose client data contain no challenge of their own.
  private var needs = 0
  /// The number of verified assertions whose client data are known.
  private var known = 0

  /// Whether at least half of the verified assertions need `replayScope: exact`.
  package var isExact: Bool { known > 0 && needs * 2 >= known }

  /// Whether some assertions need the scope that is not chosen.
  package var isDoubtful: Bool { !isExact && needs > 0 }

  package var reason: String {
    known == 0
      ? "no assertion was verified"
      : "\(needs) of \(known) verified assertions have client data without a challenge of their own"
  }

  init() {}

  mutating func add(_ other: ReplayScopeChoice) {
    needs += other.needs
    known += other.known
  }

  /// - Parameter lines: The indexes of lines with a verified assertion.
  init(_ form: DataForm?, _ sample: LogSample, issued: Set<Digest256>, lines: [Int]) {
    guard let form else { return }
    let found = lines.map { sample.lines[$0] }.compactMap { line in
      form.hash(in: line).flatMap { hash in form.bytes(in: line).map { (line, hash, $0) } }
    }
    known = found.count
    let words = found.map { Self.words($2) }
    let counts = Dictionary(words.joined().map { ($0, 1) }, uniquingKeysWith: +)
    var used: Set<[UInt8]> = []
    for ((line, hash, bytes), words) in zip(found, words) {
      let isFresh =
        Self.isFresh(bytes, form) || words.contains { counts[$0] == 1 }
        || Self.values(line, bytes, form, sample.pointers).contains { isNamed, text in
          isNamed && text.count >= 8 || issued.contains(.sha256(Array(text).span))
        }
      if !used.insert(hash).inserted || !isFresh { needs += 1 }
    }
  }

  /// Returns whether bytes look like a challenge: one long word, or no text.
  private static func isFresh(_ bytes: [UInt8], _ form: DataForm) -> Bool {
    guard form.pointer != nil, bytes.count >= 16 else { return false }
    if form.isHash { return true }
    guard let text = String(validating: bytes, as: UTF8.self) else { return true }
    return Set(bytes).count >= 8 && text.wholeMatch(of: /[0-9A-Za-z+\/=\-_.]+/) != nil
  }

  /// Returns the words in client data that have 16 random bytes, in base64 or hex. One that no other request has is a
  /// challenge. An identifier with dashes can be that of a thing.
  private static func words(_ bytes: [UInt8]) -> Set<ArraySlice<UInt8>> {
    let signs = Array("+/-_%".utf8)
    let parts = bytes.filter { $0 != UInt8(ascii: "\\") }.split { byte in
      !byte.isLetterOrDigit && !signs.contains(byte)
    }
    return Set(
      parts.filter { part in
        guard (22...128).contains(part.count), part.first != UInt8(ascii: "/") else { return false }
        let isHex = part.count >= 32 && ValueDecoder.hex(part) != nil
        return part.contains { (0x30...0x39).contains($0) }
          && (isHex || part.contains { (0x41...0x5A).contains($0) })
          && part.contains { (0x41...0x7A).contains($0) }
      })
  }

  /// Returns the texts in client data, and whether they are named as challenges: values of the line, members of JSON, and
  /// parameters of a form or a query.
  private static func values(
    _ line: SampleLine, _ bytes: [UInt8], _ form: DataForm, _ pointers: PointerTable
  ) -> [(isNamed: Bool, text: ArraySlice<UInt8>)] {
    var inner = PointerTable()
    let members = LineFlattener.flatten(bytes[...], &inner).values
    let parameters = bytes.split { "?& \n".utf8.contains($0) }.compactMap { part in
      part.firstIndex(of: UInt8(ascii: "=")).map { (part[..<$0], part[($0 + 1)...]) }
    }
    func isNamed(_ name: NameWords) -> Bool { name.contains(WordLists.challenges) }
    return line.values.filter { value in
      value.isText
        && form.pointers.contains { $0 == value.pointer || pointers.isInside(value.pointer, $0) }
    }.map { (isNamed(pointers.meaning($0.pointer)), $0.text) }
      + members.filter(\.isText).map { (isNamed(inner.meaning($0.pointer)), $0.text) }
      + parameters.map { (isNamed(NameWords(String(decoding: $0, as: UTF8.self))), $1) }
  }
}
