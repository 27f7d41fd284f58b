package import Basics

/// A test that distinguishes App Attest objects from other tokens.
public enum AppAttestSniffer {
  /// Returns whether the token begins, after any tags, with a CBOR map that has the text key
  /// `authData` or `authenticatorData`. Anything may precede or follow it.
  public static func isAppAttestObject(_ token: Span<UInt8>) -> Bool {
    (try? holdsName(token)) ?? false
  }

  /// Returns whether tags, which not every server skips (`verification.R31`), precede the map.
  public static func hasTags(_ token: Span<UInt8>) -> Bool {
    var reader = CBORReader()
    guard reader.peekMajor(token) == 6, (try? reader.skipTags(token)) != nil else { return false }
    return reader.peekMajor(token) == 5
  }

  private static func holdsName(_ token: Span<UInt8>) throws(CBORError) -> Bool {
    var reader = CBORReader()
    try reader.skipTags(token)
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      if try isName(reader, token) { return true }
      for _ in 0..<2 { try skip(&reader, token) }
    }
    return false
  }

  /// Passes over an item without recursion, however deep it nests, unless `check` throws for one at a depth.
  private static func skip(
    _ reader: inout CBORReader, _ token: Span<UInt8>,
    check: (CBORReader) throws(CBORError) -> Void = { _ in }
  ) throws(CBORError) {
    var levels: [Level] = []
    try check(reader)
    try enterOrSkip(&reader, token, &levels)
    while var level = levels.popLast() {
      // A map ends only where a key would begin.
      if !level.isMap || level.isAtKey {
        guard try reader.next(&level.left, token) else { continue }
      }
      if level.isMap { level.isAtKey.toggle() }
      levels.append(level)
      try check(reader)
      try enterOrSkip(&reader, token, &levels)
    }
  }

  private static func isName(
    _ reader: CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) -> Bool {
    guard reader.peekMajor(token) == 3 else { return false }
    var reader = reader
    let head = try reader.readHead(token)
    let key = try reader.readString(after: head, token, checked: false)
    return key.equals("authData", in: token) || key.equals("authenticatorData", in: token)
  }

  private static func enterOrSkip(
    _ reader: inout CBORReader, _ token: Span<UInt8>, _ levels: inout [Level]
  ) throws(CBORError) {
    var head = try reader.readHead(token)
    while head.major == 6 { head = try reader.readHead(token) }
    switch head.major {
    case 0, 1: return
    case 2, 3: _ = try reader.readString(after: head, token, checked: false)
    case 4, 5:
      let count = try CBORCount(
        head, itemsEach: head.major == 5 ? 2 : 1, remaining: token.count - reader.offset)
      levels.append(Level(left: count, isMap: head.major == 5))
    default:
      guard !head.isIndefinite else { throw .unexpectedBreak }
    }
  }

  private struct Level {
    var left: CBORCount
    var isMap: Bool
    var isAtKey = true
  }
}

extension AppAttestSniffer {
  /// Returns the facts about the attestation object or assertion with which bytes begin
  /// (`records.R53`), after any tags: a map of two to four with one of the names, or any map that
  /// has all names of one of them (`verification.R24`). An object of another format needs Apple's
  /// extension for the nonce, and a map with a key before the first name that is no UTF-8 has all names. At most `following`
  /// bytes come after those given. A cut copy has the authenticator data and the first number of the signature, or the
  /// statement.
  package static func tokenFront(_ bytes: Span<UInt8>, following: Int = 0) -> TokenFront {
    var map = TokenMap(most: bytes.count + following)
    var error: CBORError?
    do throws(CBORError) { try map.read(bytes) } catch let found { error = found }
    return TokenFront(
      extent(map, error, bytes, following), own: map.own, work: map.work,
      nameBehindWords: map.hasWords ? map.firstName : nil)
  }

  private static func extent(
    _ map: TokenMap, _ error: CBORError?, _ bytes: Span<UInt8>, _ following: Int
  ) -> TokenFront.Extent {
    let isWhole = error == nil
    let hasAll = map.names.isSuperset(of: .assertion) || map.names.isSuperset(of: .attestation)
    let extent: TokenFront.Extent =
      isWhole && hasAll ? .whole(map.end) : error == .truncated ? .open : .broken
    // More bytes repair nothing but the lack of bytes.
    let isComplete = error != .truncated || following == 0
    if map.hasWords, !isWhole || !hasAll { return isComplete ? .none : .unnamed }
    if map.names.isSuperset(of: .assertion) { return extent }
    if !map.names.isDisjoint(with: .assertion), map.isOfTwoOrThree {
      return isComplete || map.count != nil ? extent : .undecided
    }
    guard
      map.names.isSuperset(of: .attestation)
        || !map.names.isDisjoint(with: .attestation)
          && (map.isOfTwoOrThree || (map.isOfFour && (map.names.contains(.cdHash) || !isWhole)))
    else {
      guard isComplete || !map.isPossible else { return map.names.isEmpty ? .unnamed : .undecided }
      return isWhole && map.hasFormat ? .otherObject : .none
    }
    if map.isOfApple { return extent }
    guard isComplete else { return .undecided }
    return !isWhole || !map.hasFormat || holdsNonceExtension(bytes) ? extent : .otherObject
  }

  /// Returns whether the object identifier 1.2.840.113635.100.8.2 is in a string of an item, in DER.
  private static func holdsNonceExtension(_ bytes: Span<UInt8>) -> Bool {
    var reader = CBORReader()
    var isFound = false
    try? skip(&reader, bytes) { (reader) throws(CBORError) in
      var reader = reader
      var head = try reader.readHead(bytes)
      while head.major == 6 { head = try reader.readHead(bytes) }
      guard head.major == 2 || head.major == 3 else { return }
      let string = try reader.readString(after: head, bytes, checked: false)
      isFound = isFound || string.copy(from: bytes).contains(nonceIdentifier)
    }
    return isFound
  }

  private static let nonceIdentifier = DERForm.appleExtension + [0x02]

  private struct Names: OptionSet {
    let rawValue: UInt8
    static let cdHash = Names(rawValue: 1)
    static let attestation = Names(rawValue: 2 | 4 | 8)
    static let assertion = Names(rawValue: 16 | 32)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The names and what they are, for ``init(_:_:)``.
    private static let all: [(name: StaticString, value: UInt8)] = [
      ("cdHash", 1), ("fmt", 2), ("attStmt", 4), ("authData", 8), ("signature", 16),
      ("authenticatorData", 32),
    ]

    init(_ name: CBORString, in bytes: Span<UInt8>) {
      self.init(rawValue: Self.all.first { name.equals($0.name, in: bytes) }?.value ?? 0)
    }
  }

  /// The facts about a token in the entries of a map, as far as they can be read.
  private struct TokenMap {
    /// The number of entries that the head says, or nil if it says none.
    var count: UInt64?
    var entries: UInt64 = 0
    var isPossible = true
    var names: Names = []
    /// The place of the first name, and whether a key before it is no UTF-8.
    var firstName = 0
    var hasWords = false
    /// Whether there is a format that is a text, and whether it is App Attest's.
    var hasFormat = false
    var isOfApple = false
    /// The end of the map, and of what a cut copy has.
    var end = 0
    var own = 0
    /// The bytes that were read: of a string, its head.
    var work = 0
    /// The most bytes that the token can have.
    let most: Int

    init(most: Int) { self.most = most }

    var isOfTwoOrThree: Bool { count.map { $0 == 2 || $0 == 3 } ?? (entries <= 3) }
    var isOfFour: Bool { (count ?? entries) == 4 }

    /// Reads the map. Throws where it ends early or is not one; what was read until then is there.
    mutating func read(_ bytes: Span<UInt8>) throws(CBORError) {
      var reader = CBORReader()
      defer { work += reader.offset }
      while reader.peekMajor(bytes) == 6 { _ = try reader.readHead(bytes) }
      guard let major = reader.peekMajor(bytes) else { throw .truncated }
      isPossible = major == 5
      let head = try reader.readHead(bytes)
      // Each entry has 2 bytes at least, of which a cut can leave nothing.
      isPossible =
        major == 5 && (head.isIndefinite || (2...UInt64(max(4, most / 2))).contains(head.argument))
      guard isPossible else { throw .wrongType }
      count = head.isIndefinite ? nil : head.argument
      while count != entries {
        if count == nil, reader.offset < bytes.count, bytes[reader.offset] == 0xFF {
          reader.offset += 1
          break
        }
        entries += 1
        try readEntry(&reader, bytes)
      }
      end = reader.offset
      // An indefinite map of one entry is not a token's.
      if count == nil, entries < 2 { names = [] }
    }

    private mutating func readEntry(
      _ reader: inout CBORReader, _ bytes: Span<UInt8>
    ) throws(CBORError) {
      // Some servers skip tags before a name, too, or take bytes for text.
      while reader.peekMajor(bytes) == 6 { _ = try reader.readHead(bytes) }
      let major = reader.peekMajor(bytes)
      guard major == 2 || major == 3 else {
        try skip(&reader, bytes)
        return try skip(&reader, bytes)
      }
      try checkLength(reader, bytes)
      let place = reader.offset
      let name = try readText(&reader, bytes)
      if names.isEmpty {
        firstName = place
        if major == 3, !name.isChunked {
          work += name.range.count / 16
          hasWords = hasWords || !bytes.extracting(name.range).isUTF8
        }
      }
      names.formUnion(Names(name, in: bytes))
      if name.equals("fmt", in: bytes), reader.peekMajor(bytes) == 3 {
        let format = try readText(&reader, bytes)
        hasFormat = true
        isOfApple = isOfApple || format.equals("apple-appattest", in: bytes)
        return
      }
      let value = reader.offset
      try skip(&reader, bytes)
      if name.equals("attStmt", in: bytes) { own = reader.offset }
      if name.equals("signature", in: bytes) {
        own = max(own, Self.firstNumberEnd(bytes, value..<reader.offset) - Self.mostUnlike)
      }
      // Words after a cut copy have no flags of WebAuthn (section 6.1).
      if name.equals("authenticatorData", in: bytes) || name.equals("authData", in: bytes),
        let flags = Self.flags(bytes, value..<reader.offset), flags & 0x7E == 0x40
      {
        own = max(own, reader.offset)
      }
    }

    /// The last bytes that another token can have in common with the first number of a signature.
    private static let mostUnlike = 16

    /// Returns the flags of authenticator data, or nil if a value has none.
    private static func flags(_ bytes: Span<UInt8>, _ value: Range<Int>) -> UInt8? {
      var reader = CBORReader(at: value.lowerBound)
      guard let head = try? reader.readHead(bytes), head.major == 2, !head.isIndefinite,
        value.upperBound - reader.offset >= AuthenticatorData.fixedLength
      else { return nil }
      return bytes[reader.offset + Digest256.byteCount]
    }

    /// Returns the end of a signature's first number, or of another value; 0 if the second number is missing.
    private static func firstNumberEnd(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Int {
      var reader = CBORReader(at: value.lowerBound)
      var head = try? reader.readHead(bytes)
      while head?.major == 6 { head = try? reader.readHead(bytes) }
      guard let head, head.major == 2, !head.isIndefinite else { return value.upperBound }
      let bytes = bytes.extracting(..<value.upperBound)
      var at = reader.offset
      guard passHead(0x30, bytes, &at) != nil, let first = passHead(0x02, bytes, &at),
        first < bytes.count - at
      else { return value.upperBound }
      return bytes[at + first] == 0x02 ? at + first : 0
    }

    /// Passes over the head of an item in DER or BER. Returns the length of the item, or nil if it is another one.
    private static func passHead(_ tag: UInt8, _ bytes: Span<UInt8>, _ at: inout Int) -> Int? {
      guard bytes.count - at > 6, bytes[at] == tag, bytes[at + 1] < 0x84 else { return nil }
      let (length, start) = (Int(bytes[at + 1]), at + 2)
      at = start + (length > 0x80 ? length & 3 : 0)
      return length > 0x80 ? (start..<at).reduce(0) { $0 << 8 | Int(bytes[$1]) } : length
    }

    private func readText(
      _ reader: inout CBORReader, _ bytes: Span<UInt8>
    ) throws(CBORError) -> CBORString {
      let head = try reader.readHead(bytes)
      return try reader.readString(after: head, bytes, checked: false)
    }

    private mutating func skip(
      _ reader: inout CBORReader, _ bytes: Span<UInt8>
    ) throws(CBORError) {
      try AppAttestSniffer.skip(&reader, bytes) { (reader) throws(CBORError) in
        try checkLength(reader, bytes)
      }
    }

    /// Throws if an item is longer than the token can be.
    private mutating func checkLength(
      _ reader: CBORReader, _ bytes: Span<UInt8>
    ) throws(CBORError) {
      var reader = reader
      let head = try reader.readHead(bytes)
      let isSized = (2...5).contains(head.major) && !head.isIndefinite
      guard !isSized || head.argument <= UInt64(most) else { throw .wrongType }
      if isSized, head.major < 4, head.argument <= UInt64(bytes.count - reader.offset) {
        work -= Int(head.argument)
      }
    }
  }
}
