internal import Glibc

/// The position of a byte or text string inside its CBOR. It contains no bytes itself.
package struct CBORString: Sendable {
  /// The range of the content. If the string is chunked, it contains the chunks with their heads.
  package var range: Range<Int>
  /// Whether the string is of indefinite length (RFC 8949, 3.2.3).
  package var isChunked: Bool

  /// Calls `body` with the content, which is copied only if it is chunked.
  package func withSpan<Result>(
    in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    guard isChunked else { return body(bytes.extracting(range)) }
    var joined: [UInt8] = []
    appendChunks(of: bytes, to: &joined)
    return body(joined.span)
  }

  package func copy(from bytes: Span<UInt8>) -> [UInt8] {
    withSpan(in: bytes) { $0.copied() }
  }

  /// Returns whether the content is that ASCII text. Allocates nothing.
  package func equals(_ text: StaticString, in bytes: Span<UInt8>) -> Bool {
    guard isChunked else {
      return bytes.extracting(range).equals(text)
    }
    return withSpan(in: bytes) { $0.equals(text) }
  }

  private func appendChunks(of bytes: Span<UInt8>, to joined: inout [UInt8]) {
    var reader = CBORReader(at: range.lowerBound)
    while reader.offset < range.upperBound, let head = try? reader.readHead(bytes) {
      let count = Int(clamping: head.argument)
      guard count <= range.upperBound - reader.offset else { return }
      joined.append(bytes.extracting(reader.offset..<(reader.offset + count)))
      reader.offset += count
    }
  }
}

extension [UInt8] {
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  package func copied() -> [UInt8] {
    unsafe withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Returns whether these are the bytes of an ASCII text.
  package func equals(_ text: StaticString) -> Bool {
    guard text.utf8CodeUnitCount == count else { return false }
    return text.withUTF8Buffer { text in
      unsafe withUnsafeBufferPointer { unsafe Self.areEqual($0, text) }
    }
  }

  package func equals(_ other: Span<UInt8>) -> Bool {
    guard other.count == count else { return false }
    return unsafe withUnsafeBufferPointer { mine in
      unsafe other.withUnsafeBufferPointer { unsafe Self.areEqual($0, mine) }
    }
  }

  private static func areEqual(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard left.count > 0, let first = left.baseAddress, let second = right.baseAddress else {
      return true
    }
    return unsafe memcmp(first, second, left.count) == 0
  }

  var isPrintableASCII: Bool {
    // Without a way out of the loop several bytes are examined in one step.
    var others: UInt8 = 0
    for index in indices { others |= self[index] &- 0x20 > 0x5E ? 1 : 0 }
    return others == 0
  }

  /// Whether these bytes are UTF-8 (RFC 3629).
  package var isUTF8: Bool {
    for index in indices where self[index] >= 0x80 {
      return (try? UTF8Span(validating: self)) != nil
    }
    return true
  }

  package var text: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
