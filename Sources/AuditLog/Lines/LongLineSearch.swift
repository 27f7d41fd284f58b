/// A search for tokens in a line that is longer than the limit, piece by piece (`records.R52`). A token that two
/// pieces share is found: the end of each piece is searched again with the next one.
final class LongLineSearch {
  /// The bytes that are searched at a time, and those of them that are searched again: the characters of a token can be as
  /// far apart.
  private static let (windowBytes, overlap) = (1 << 23 - LineBatch.padding, 1 << 22)

  private let search: TokenSearch
  private var window = ByteBuffer(capacity: 64)
  private(set) var hasToken = false
  /// Whether a part of the line was too much work, which counts as a token.
  private(set) var gaveUp = false

  init(_ test: @escaping TokenSearch.Test) { search = TokenSearch(test) }

  /// Starts a line.
  func begin() {
    window.removeAll()
    hasToken = false
    gaveUp = false
  }

  /// Adds the next bytes of the line.
  func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = unsafe bytes[...]
    while !hasToken, unsafe !rest.isEmpty {
      let part = unsafe rest.prefix(Self.windowBytes - window.count)
      unsafe window.append(copying: UnsafeRawBufferPointer(rebasing: part))
      unsafe rest = rest.dropFirst(part.count)
      guard window.count == Self.windowBytes else { return }
      look(isCut: true)
      window.keepLast(Self.overlap)
    }
  }

  /// Ends the line.
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
