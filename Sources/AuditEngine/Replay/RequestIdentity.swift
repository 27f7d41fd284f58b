internal import AppAttest

/// What tells a request identifier from others, whatever its length: the first 16 bytes of its
/// SHA-256, and its length.
package struct RequestIdentity: Hashable, Comparable, Sendable {
  package var digest: Digest128
  /// Bytes of UTF-8.
  package var length: UInt64

  package init(digest: Digest128, length: UInt64) {
    self.digest = digest
    self.length = length
  }

  /// That of a row's text; nil where there is none.
  init?(_ text: RowText) {
    guard !text.isAbsent else { return nil }
    (digest, length) = text.digest
  }

  package static func < (left: RequestIdentity, right: RequestIdentity) -> Bool {
    (left.digest, left.length) < (right.digest, right.length)
  }
}
