/// One input of a run: a file or standard input, under the name that the reports show.
package struct LogSource: Sendable, Equatable {
  /// Where the bytes come from.
  package enum Origin: Sendable, Equatable {
    case file(path: String)
    case standardInput
    /// Nothing can be read: why, as one clause of English.
    case unreadable(String)
    /// The same file, or the same bytes, as the source of that index.
    case duplicate(of: Int)
  }
  package var name: String
  package var origin: Origin
  /// The size in bytes as the file system tells it; 0 where it is not known.
  package var size: UInt64

  package init(name: String, origin: Origin, size: UInt64 = 0) {
    self.name = name
    self.origin = origin
    self.size = size
  }
}
