internal import OpenSSL

/// An input that a run read, as later runs remember it.
package struct KnownInput: Sendable, Equatable {
  /// The number of first digests that are kept beside the table.
  static let mostFirst = 8

  /// Its number among all sources of all runs.
  package var source: UInt32 = 0
  package var name = ""
  package var lines: UInt64 = 0
  /// A digest of the contents of all lines, 16 bytes: it stays when the table is deleted.
  package var content: [UInt8] = []
  package var first: [LineDigest] = []
  /// The first and the last time of a request, in milliseconds since 1970, or nil if it has no request.
  package var span: ClosedRange<Int64>?
  package var damage = LineDamage()
  /// Lines, counted from 0, that other inputs' lines have replaced.
  package var superseded = LineRanges()
  /// Whether its lines are still kept one by one.
  package var hasTable = true

  package init() {}

  init(source: UInt32, name: String, _ table: LineTable) {
    var digest = ContentDigest()
    digest.add(table.digests)
    (self.source, self.name) = (source, name)
    lines = UInt64(table.count)
    content = digest.bytes
    first = Array(table.digests.prefix(Self.mostFirst))
    (span, damage) = (table.span, table.damage)
  }

  /// Returns whether a table begins with the same lines, as far as the first ones say.
  func mayBegin(_ table: LineTable) -> Bool {
    lines > 0 && UInt64(table.count) >= lines
      && first.elementsEqual(table.digests.prefix(first.count)) { $0.content == $1.content }
  }
}

struct ContentDigest: ~Copyable {
  private static let linesAtOnce = 1 << 12

  private var hash = SHA256Stream()

  mutating func add(_ line: LineDigest) {
    unsafe withUnsafeBytes(of: line.content.littleEndian) { unsafe hash.update($0) }
  }

  mutating func add(_ lines: [LineDigest]) {
    for start in stride(from: 0, to: lines.count, by: Self.linesAtOnce) {
      // A key path would be followed for each line.
      let contents = lines[start...].prefix(Self.linesAtOnce).map { $0.content.littleEndian }
      unsafe contents.withUnsafeBytes { unsafe hash.update($0) }
    }
  }

  /// The digest of the lines so far, 16 bytes.
  var bytes: [UInt8] { Array(hash.digest().prefix(16)) }
}

/// The inputs that earlier runs read.
package protocol InputLedger: Sendable {
  var key: LineKey { get }
  /// Returns whether an earlier run read all of this file: same device, inode, size and times.
  func isKnown(_ stamp: FileStamp) throws -> Bool
  /// Returns all inputs in the order of their numbers.
  func inputs() throws -> [KnownInput]
  /// Calls `body` with the digests of an input's lines, some at a time, in order.
  func forEachPiece(of source: UInt32, _ body: ([LineDigest]) -> Void) throws
}

extension InputLedger {
  func digests(of source: UInt32) throws -> [LineDigest] {
    var digests: [LineDigest] = []
    try forEachPiece(of: source) { digests += $0 }
    return digests
  }
}
