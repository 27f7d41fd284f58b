/// A search for tokens in a line that is longer than the limit, piece by piece (`records.R52`). A token that two
/// pieces share is found: the end of each piece is searched again with the next one.
final class LongLineSearch {
  /// The bytes that are searched again. The longest token in base64, wrapped in base64 once, is shorter.
  private static let overlap = 1 << 18

  /// The bytes that are searched at a time, whatever the pieces are.
  private static let windowBytes = 1 << 20

  /// The most bytes that are searched together because a token can go on after them: more count as one.
  private static let mostBytes = 1 << 23

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
      let part = unsafe rest.prefix(Self.windowBytes - window.count % Self.windowBytes)
      unsafe window.append(copying: UnsafeRawBufferPointer(rebasing: part))
      unsafe rest = rest.dropFirst(part.count)
      guard window.count % Self.windowBytes == 0 else { return }
      look(isCut: true)
      if search.isUndecided, window.count < Self.mostBytes { continue }
      hasToken = hasToken || search.isUndecided
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
      unsafe search.finds($0, overlap: isCut ? Self.overlap : nil)
    }
    gaveUp = search.gaveUp
  }
}
