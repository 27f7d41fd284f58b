internal import Basics
internal import CSimdjson

/// The audited tokens of a line, without the tags before them (`records.R83`).
struct AuditedTokens {
  private var room = ByteBuffer(capacity: 4096)
  /// The tokens, in the order of their bytes if they are sorted.
  private var tokens: [Range<Int>] = []
  private var isSorted = true
  /// Whether what is in a copy can be another token, which another reading of its characters shows.
  private(set) var hideOthers = false

  var isEmpty: Bool { tokens.isEmpty }

  mutating func removeAll() {
    room.removeAll()
    tokens.removeAll(keepingCapacity: true)
    hideOthers = false
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ bytes: Span<UInt8>) {
    hideOthers =
      unsafe hideOthers
      || text.baseAddress.map { unsafe attest_has_further_names($0, text.count) != 0 } ?? false
    tokens.append(room.append(bytes.extracting(CBORFront.tags(bytes)...)))
    isSorted = tokens.count == 1
  }

  /// Returns the part of a token's text that lenient decoders read as these bytes, with its padding.
  static func readPart(
    _ text: UnsafeBufferPointer<UInt8>, _ bytes: ArraySlice<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var decoded = ByteBuffer(capacity: bytes.count)
    func read(_ length: Int, _ reading: Base64.Reading) -> ArraySlice<UInt8> {
      decoded.removeAll()
      let part = unsafe UnsafeBufferPointer(rebasing: text[..<length])
      _ = unsafe Base64.decodeLoosely(part, reading, dropsLeftOver: true, into: &decoded)
      return decoded.storage[..<decoded.count]
    }
    let reading = Base64.Reading.allCases.first { read(text.count, $0) == bytes }
    guard let reading else { return unsafe text }
    var end = (0..<text.count).searched { read($0, reading).count < bytes.count }
    let signs = ["=", "%3D", "%3d"]
    while let sign = signs.first(where: { unsafe text[end...].starts(with: $0.utf8) }) {
      end += sign.utf8.count
    }
    return unsafe UnsafeBufferPointer(rebasing: text[..<end])
  }

  /// Returns the number of first bytes that a candidate has in common with the audited token that it resembles most,
  /// that token, and whether these are all of it.
  mutating func agreement(
    _ candidate: ArraySlice<UInt8>
  ) -> (count: Int, token: Range<Int>, isWhole: Bool) {
    let held = room.storage
    if !isSorted {
      tokens.sort { held[$0].lexicographicallyPrecedes(held[$1]) }
      isSorted = true
    }
    // The tokens before it are less than the candidate.
    let low = tokens.indices.searched { held[tokens[$0]].lexicographicallyPrecedes(candidate) }
    var best = (count: 0, token: 0..<0, isWhole: false)
    for token in tokens[max(0, low - 1)..<min(tokens.count, low + 1)] {
      let count = zip(held[token], candidate).prefix { $0.0 == $0.1 }.count
      if count > best.count { best = (count, token, count == token.count) }
    }
    return best
  }

  subscript(_ token: Range<Int>) -> ArraySlice<UInt8> { room.storage[token] }
}
