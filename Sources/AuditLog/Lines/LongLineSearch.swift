/// A search for tokens in a line that is longer than the limit, piece by piece (`records.R52`). A token that two
/// pieces share is found: the end of each piece is searched again with the next one.
final class LongLineSearch {
  /// The bytes that are searched at a time, and those that are searched again with the next ones.
  private static let (windowBytes, overlap) = (1 << 23 - LineBatch.padding, 1 << 22)
  /// The longest row of characters that lenient decoders drop and that is searched (`verification.R32`).
  private static let mostPassed = 32

  private let search: TokenSearch
  private var window = ByteBuffer(capacity: 64)
  /// The characters at the end of the window that lenient decoders pass over.
  private var passed = 0
  private(set) var hasToken = false
  /// Whether a part of the line was too much work, which counts as a token.
  private(set) var gaveUp = false

  init(_ test: @escaping TokenSearch.Test) { search = TokenSearch(test) }

  func begin() {
    window.removeAll()
    passed = 0
    hasToken = false
    gaveUp = false
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    var from = 0
    for at in bytes.indices {
      passed = unsafe Self.isPassed(bytes[at]) ? passed + 1 : 0
      guard passed > Self.mostPassed else { continue }
      if at > from { unsafe add(bytes[from..<at]) }
      from = at + 1
    }
    unsafe add(bytes[from...])
  }

  /// Returns whether no decoder reads a character, alone or with others.
  private static func isPassed(_ byte: UInt8) -> Bool {
    Base64.value(byte) == nil && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
    var rest = unsafe bytes
    while !hasToken, unsafe !rest.isEmpty {
      let part = unsafe rest.prefix(Self.windowBytes - window.count)
      unsafe window.append(copying: UnsafeRawBufferPointer(rebasing: part))
      unsafe rest = rest.dropFirst(part.count)
      guard window.count == Self.windowBytes else { return }
      look(isCut: true)
      window.keepLast(Self.overlap)
    }
  }

  func end() {
    if !hasToken { look(isCut: false) }
    window.removeAll(keeping: 64)
  }

  private func look(isCut: Bool) {
    window.reserve(LineBatch.padding)
    hasToken = unsafe window.withHeldBytes {
      unsafe search.finds($0, isCut: isCut)
    }
    gaveUp = search.gaveUp
  }
}
