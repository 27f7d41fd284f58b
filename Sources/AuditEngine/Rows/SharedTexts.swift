internal import Basics
internal import Synchronization

/// Texts that many rows of the report have, each once. Used by all threads.
final class SharedTexts: Sendable {
  /// The most texts, each of at most ``TextStore/inlineBytes``.
  static let capacity = 1024

  /// The texts, and the places of their bytes: texts that Unicode takes for one are two.
  private let table = Mutex<(texts: [String], places: [[UInt8]: UInt16])>(([], [:]))

  /// Returns the place of a text, which it gets if it has none, or nil if there is no room for it.
  func place(of text: String) -> UInt16? {
    guard text.utf8.count <= TextStore.inlineBytes else { return nil }
    let bytes = Array(text.utf8)
    return table.withLock { table in
      if let place = table.places[bytes] { return place }
      guard table.texts.count < Self.capacity else { return nil }
      let place = UInt16(table.texts.count)
      table.texts.append(text)
      table.places[bytes] = place
      return place
    }
  }

  subscript(place: UInt16) -> String {
    table.withLock { $0.texts[Int(place)] }
  }
}

/// The last texts that one thread wrote into one field. A text that comes again is worth being shared.
struct RecentTexts {
  private static let count = 4
  /// The shortest text, in bytes of UTF-8, that takes less room at its place than in the row.
  private static let leastBytes = 8

  private var texts: [(text: String, place: UInt16?)] = []
  /// The one that the next new text replaces.
  private var oldest = 0

  /// Returns the place of a text among those that are shared, or nil where it has to stand in the row.
  mutating func place(of text: String, in shared: SharedTexts) -> UInt16? {
    // A long one is not shared, and would be held here for nothing.
    guard (Self.leastBytes...TextStore.inlineBytes).contains(text.utf8.count) else { return nil }
    for index in texts.indices where texts[index].text.isSame(as: text) {
      if let place = texts[index].place { return place }
      texts[index].place = shared.place(of: text)
      return texts[index].place
    }
    if texts.count < Self.count {
      texts.append((text, nil))
    } else {
      texts[oldest] = (text, nil)
      oldest = (oldest + 1) % Self.count
    }
    return nil
  }
}
