/// The heads of a content: its first 1, 2, 4, … bytes as far as they have come.
///
/// A run may have very many inputs: of the SHA-256 of each head only the first 8 bytes are kept, of
/// the longest one all. Heads that agree there are compared byte for byte before anything follows.
struct HeadDigests: Sendable, Equatable {
  /// The SHA-256 of the longest head, 32 bytes, or nil if there are no heads.
  private(set) var last: [UInt8]?
  /// The mark of each head, the shortest first.
  private(set) var marks: [UInt64] = []

  /// Makes the digests of heads.
  ///
  /// - Parameter digests: The SHA-256 of each head, 32 bytes each, the shortest first.
  init(_ digests: some Collection<[UInt8]>) {
    for digest in digests { last = digest }
    marks.reserveCapacity(digests.count)
    for digest in digests { marks.append(Self.mark(digest)) }
  }

  /// Returns the first 8 bytes of a digest as a number, in big-endian order.
  static func mark(_ digest: [UInt8]) -> UInt64 {
    digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
