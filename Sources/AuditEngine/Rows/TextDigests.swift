internal import AppAttest
internal import AuditLog
internal import Glibc

/// The digests that rows have of the subjects or routes of their requests, without making the same one again and again:
/// few texts are those of many events.
struct TextDigests {
  private static let places = 64

  private let name: RequestText
  private var known = [(text: [UInt8], digest: UInt64)](repeating: ([], 0), count: places)

  init(of name: RequestText) { self.name = name }

  /// Returns ``RowText/digest(of:)``.
  mutating func digest(_ text: RowText) -> UInt64? {
    guard !text.isCut, let bytes = unsafe text.inline, let base = bytes.baseAddress,
      bytes.count >= 8
    else { return text.digest(of: name) }
    let end = unsafe base.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    let place = Int(truncatingIfNeeded: (end &* 0x9E37_79B9_7F4A_7C15) >> 58)
    let isKnown = unsafe known[place].text.withUnsafeBytes { text in
      guard text.count == bytes.count, let other = text.baseAddress else { return false }
      return unsafe memcmp(base, other, bytes.count) == 0
    }
    if isKnown { return known[place].digest }
    let digest = text.digest(of: name)
    if let digest { unsafe known[place] = (Array(bytes), digest) }
    return digest
  }
}

extension RowText {
  /// Returns the first 8 bytes of the SHA-256 of a request's text, or nil. Short routes are paths (`records.R71`).
  func digest(of name: RequestText) -> UInt64? {
    guard name == .route, !isCut, let route = unsafe inline else {
      return isAbsent ? nil : digest.0.prefix
    }
    let path = unsafe RoutePath.normal(Span(_unsafeBytes: route))
    return Digest256.sha256(path.span).prefix
  }
}
