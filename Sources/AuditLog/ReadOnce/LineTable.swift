internal import Basics
package import Compression

/// The lines of an input, in order, as they are compared with those of other inputs.
package struct LineTable: Sendable, Equatable {
  package private(set) var digests: [LineDigest] = []
  /// The times of the requests in milliseconds since 1970, in order, and for each line where the times of the next one
  /// begin. Both are empty for an input of an earlier run, since equal requests have equal times, and for an input whose
  /// lines were not read for their kinds.
  private var times: [Int64] = []
  private var ends: [Int] = []
  package var damage = LineDamage()
  /// The beginnings of lines that might be last lines without an end of inputs of earlier runs.
  var beginnings: Set<LineBeginning> = []
  /// The lines that are no record and not to be skipped, as far as they were read for their kinds.
  private(set) var unreadable = LineRanges()
  let hasTimes: Bool

  package init(hasTimes: Bool = true) { self.hasTimes = hasTimes }

  package init(digests: [LineDigest], damage: LineDamage) {
    self.digests = digests
    self.damage = damage
    hasTimes = false
  }

  package var count: Int { digests.count }

  /// Appends the next line. `times` are those of its requests: a line can have several records (`records.R84`).
  package mutating func append(
    _ digest: LineDigest, times: some Sequence<Int64> = [], isUnreadable: Bool = false
  ) {
    if isUnreadable { unreadable.append(digests.count..<(digests.count + 1)) }
    digests.append(digest)
    guard hasTimes else { return }
    self.times.append(contentsOf: times)
    ends.append(self.times.count)
  }

  mutating func append(_ next: LineTable) {
    beginnings.formUnion(next.beginnings)
    unreadable.append(next.unreadable, from: count)
    digests += next.digests
    ends += next.ends.lazy.map { [first = times.count] in $0 + first }
    times += next.times
  }

  func times(_ lines: Range<Int>) -> ArraySlice<Int64> {
    guard !ends.isEmpty, !lines.isEmpty else { return [] }
    return times[
      (lines.lowerBound == 0 ? 0 : ends[lines.lowerBound - 1])..<ends[lines.upperBound - 1]]
  }

  /// Returns the table without blank lines (`records.R2`) and the kept lines, or nil if none is blank.
  func filled() -> (table: LineTable, lines: [Int])? {
    guard digests.contains(where: { $0.kind == .blank }) else { return nil }
    var lines: [Int] = []
    lines.reserveCapacity(count)
    for line in digests.indices where digests[line].kind != .blank { lines.append(line) }
    // A blank line has no times: those of the others begin and end where they did.
    var table = self
    table.digests = lines.map { digests[$0] }
    if !ends.isEmpty { table.ends = lines.map { ends[$0] } }
    table.unreadable = unreadable.renumbered(lines)
    table.damage = damage.renumbered { line in lines.indices.searched { lines[$0] < line } }
    return (table, lines)
  }

  package var span: ClosedRange<Int64>? {
    guard let first = times.min(), let last = times.max() else { return nil }
    return first...last
  }
}

/// The first bytes of a line.
struct LineBeginning: Hashable {
  /// Counted from 0, blank lines included.
  var line: Int
  var bytes: UInt64
  /// ``LineDigest/content`` of these bytes.
  var content: UInt64
}

/// The places of an input that damage touched (`records.R97`). Lines are counted from 0.
package struct LineDamage: Sendable, Equatable {
  /// One damaged place of the stream, as its finding names it.
  package struct Place: Sendable, Equatable {
    package var kind: StreamDamage.Kind
    /// The offset in the file, which identifies the finding.
    package var byteOffset: UInt64
    /// The doubtful lines of its frame or member.
    package var lines: Range<Int>
    /// The line before which the damage is.
    package var line: Int

    package init(kind: StreamDamage.Kind, byteOffset: UInt64, lines: Range<Int>, line: Int) {
      self.kind = kind
      self.byteOffset = byteOffset
      self.lines = lines
      self.line = line
    }
  }

  /// Lines that damage might have changed.
  package var doubtful = LineRanges()
  /// Lines of which damage left only a part.
  package var cut = LineRanges()
  /// Lines before which bytes are missing, ascending; the number of lines if bytes are missing at the end.
  package var lost: [Int] = []
  package var places: [Place] = []
  /// The number of bytes of the last line if it has no end, and 0 if it has one. A line without an end is doubtful.
  package var openBytes: UInt64 = 0
  package var isCompressed = false

  package init() {}

  /// Whether any place is damaged; an open end alone is no damage to what is before it.
  package var isDamaged: Bool { !lost.isEmpty || !places.isEmpty }

  /// Returns whether a damaged place touches the lines of a range, or the gap that they fill.
  func touches(_ lines: Range<Int>) -> Bool {
    hasLost(in: lines.lowerBound...lines.upperBound) || doubtful.intersects(lines)
  }

  func hasLost(in lines: ClosedRange<Int>) -> Bool {
    let next = lost.indices.searched { lost[$0] < lines.lowerBound }
    return next < lost.count && lost[next] <= lines.upperBound
  }

  func isLost(before line: Int) -> Bool { hasLost(in: line...line) }

  /// Returns the number of lines that damage made these of: both parts of a line that it cut count as one.
  func whole(_ lines: Range<Int>) -> Int {
    let cuts = Set(places.map(\.line)).filter {
      lines.contains($0) && lines.contains($0 - 1) && cut.contains($0) && cut.contains($0 - 1)
    }
    return lines.count - cuts.count
  }

  func renumbered(_ number: (Int) -> Int) -> LineDamage {
    func lines(_ lines: Range<Int>) -> Range<Int> {
      number(lines.lowerBound)..<number(lines.upperBound)
    }
    var damage = self
    damage.doubtful = LineRanges(doubtful.ranges.map(lines))
    damage.cut = LineRanges(cut.ranges.map(lines))
    damage.lost = lost.map(number)
    for index in places.indices {
      damage.places[index].lines = lines(places[index].lines)
      damage.places[index].line = number(places[index].line)
    }
    return damage
  }
}

extension ClosedRange<Int64> {
  func joined(_ other: ClosedRange<Int64>) -> ClosedRange<Int64> {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
