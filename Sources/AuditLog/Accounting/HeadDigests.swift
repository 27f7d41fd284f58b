/// The SHA-256 of the first 1, 2, 4, … bytes of a content, as far as they have come: 32 bytes each, in
/// one piece of memory, since a run may have very many inputs.
struct HeadDigests: Sendable, Equatable {
  private static let digestBytes = 32
  private var bytes: [UInt8] = []

  /// Takes the digest of the next head, 32 bytes.
  mutating func append(_ digest: [UInt8]) {
    precondition(digest.count == Self.digestBytes)
    bytes += digest
  }

  /// Returns the first of them, at most `count`.
  func first(_ count: Int) -> HeadDigests {
    var result = HeadDigests()
    result.bytes = Array(bytes.prefix(count * Self.digestBytes))
    return result
  }
}

extension HeadDigests: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { bytes.count / Self.digestBytes }

  subscript(index: Int) -> [UInt8] {
    Array(bytes[index * Self.digestBytes..<(index + 1) * Self.digestBytes])
  }
}
