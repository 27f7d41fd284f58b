internal import Basics

/// The lines that were read of a damaged copy, as often as each was.
struct ReadLines {
  /// The lines in ascending order of digests, and of lines.
  private let entries: [(digest: UInt64, line: UInt64, kind: LineKind)]
  private let lines: DamagedLines
  private var used: [Bool]
  /// How many of those with the same digest were found, at the place of the first of them.
  private var foundOf: [Int]
  /// Those among them that have the same number in the other copy.
  private var isInPlace: [Bool]
  private(set) var found = 0
  /// The lines of the other copy so far.
  private var number: UInt64 = 0
  /// What is compared of both copies, by its scope.
  private var parts = Scope.allCases.map { _ in Part() }
  /// The number of times that a line was found that comes before the one found before it.
  private var turns = 0
  private var lastLine: UInt64 = 0
  /// The lines of the other copy, without blank ones, since one was found.
  private var between = 0
  /// True where lines were left out, with none of the other copy in their place.
  private var hasGap = false
  /// The number of the last line that is not blank.
  private let end: UInt64

  /// The lines that are compared: all, those that are read, and records with tokens.
  private enum Scope: Int, CaseIterable {
    case all, read, requests

    func has(_ kind: LineKind) -> Bool {
      switch self {
      case .all: true
      case .read: kind != .skipped
      case .requests: kind == .request
      }
    }
  }

  /// Lines of both copies: how many there are of each, and the digests of the first and the last.
  private struct Part {
    var count = 0
    var taken = 0
    var ends: (first: UInt64?, last: UInt64?)
    var otherEnds: (first: UInt64?, last: UInt64?)

    mutating func add(_ digest: UInt64) {
      count += 1
      ends = (ends.first ?? digest, digest)
    }

    mutating func take(_ digest: UInt64) {
      taken += 1
      otherEnds = (otherEnds.first ?? digest, digest)
    }

    /// True where both begin or end with the same line.
    var hasSameEnd: Bool { ends.first == otherEnds.first || ends.last == otherEnds.last }
  }

  init(_ lines: DamagedLines) {
    self.lines = lines
    let digests = lines.digests
    let tellKinds = lines.tellKinds
    entries = digests.enumerated().filter { $0.element != 0 }
      .map { place, digest in
        let kind = tellKinds ? LineDigests.kind(digest) : .skipped
        return (digest: LineDigests.plain(digest), line: UInt64(place) + 1, kind: kind)
      }
      .sorted { ($0.digest, $0.line) < ($1.digest, $1.line) }
    used = [Bool](repeating: false, count: entries.count)
    isInPlace = used
    foundOf = [Int](repeating: 0, count: entries.count)
    end = digests.lastIndex { $0 != 0 }.map { UInt64($0) + 1 } ?? 0
    for digest in digests where digest != 0 {
      let kind = tellKinds ? LineDigests.kind(digest) : .skipped
      for scope in Scope.allCases where scope.has(kind) {
        parts[scope.rawValue].add(LineDigests.plain(digest))
      }
    }
  }

  /// Returns whether the lines that were taken are another copy: most of the lines are among them,
  /// in their order, and one of the two ends is the same. Another input that shares lines is not a
  /// copy. But one bit of damage may garble most lines of a gzip member, the ends too: then it is enough that so
  /// many have the same number in both that no chance and no replay is why.
  ///
  /// Skipped lines do not count where the copy has lines that are read. Then most of these have to be there, and
  /// most of the requests among them.
  ///
  /// - Parameters:
  ///   - isHere: Whether both were read from one path or file. Then nine of ten lines, all in their order, do
  ///     without the same ends: damage may have hit both, or the file has grown. Elsewhere most of the lines
  ///     that stand once have to be there: any two logs may have the same line again and again.
  ///   - isPart: Whether the other copy is damaged, too. Then most of what it has is enough.
  func areOfOneInput(isHere: Bool, isPart: Bool) -> Bool {
    guard found > 0 else { return false }
    let telling = [Scope.read, .requests].filter { parts[$0.rawValue].count > 0 }
    return (telling.isEmpty ? [.all] : telling).allSatisfy {
      isOneInput($0, isHere: isHere, isPart: isPart)
    }
  }

  /// Returns whether the lines of a scope are those of another copy.
  private func isOneInput(_ scope: Scope, isHere: Bool, isPart: Bool) -> Bool {
    let part = parts[scope.rawValue]
    let shared = shared(scope)
    func least(_ count: Int) -> Int { isPart ? min(part.taken, count) : count }
    let areMany = shared.inPlace >= Self.many && shared.inPlace * 4 >= least(shared.singleCount)
    if turns == 0, areMany { return true }
    let isMost = shared.found * 2 >= least(part.count) && turns * 10 <= found
    if isHere {
      let singleCount = least(shared.singleCount)
      if turns == 0, shared.inPlace >= Self.some, shared.inPlace * 2 > singleCount { return true }
      if part.hasSameEnd { return isMost }
      return shared.found * 10 >= part.count * 9 && turns == 0
    }
    return shared.singleFound * 2 >= least(shared.singleCount) && part.hasSameEnd && isMost
  }

  /// True where the other copy has lines, in their order up to the last, and others in the place of each that
  /// it has not: it is no shorter one.
  var haveOthersForAll: Bool { turns == 0 && !hasGap && lastLine == end }

  /// True where many lines were found, or nearly all that were taken: two hosts may log one request in the
  /// same words.
  var areManyOrNearlyAll: Bool {
    found >= Self.many || found * 4 >= parts[Scope.all.rawValue].taken * 3
  }

  /// The least numbers of lines, each with the same number in both, that make a copy: at any two paths, and at
  /// one.
  private static let (many, some) = (8, 3)

  /// The numbers of lines that were found; of those that stand once, of those found among them, and of those
  /// with the same number in both copies.
  private struct Shared {
    var found = 0
    var singleCount = 0
    var singleFound = 0
    var inPlace = 0
  }

  /// Counts the lines of a scope.
  private func shared(_ scope: Scope) -> Shared {
    var result = Shared()
    for index in entries.indices {
      let digest = entries[index].digest
      guard scope.has(entries[index].kind) else { continue }
      if used[index] { result.found += 1 }
      let isSingle =
        (index == 0 || entries[index - 1].digest != digest)
        && (index + 1 == entries.count || entries[index + 1].digest != digest)
      guard isSingle else { continue }
      result.singleCount += 1
      if used[index] { result.singleFound += 1 }
      if isInPlace[index] { result.inPlace += 1 }
    }
    return result
  }

  /// True where a line was not found that damage did not touch: what was looked through is not the whole copy.
  var missesProven: Bool {
    entries.indices.contains { !used[$0] && !lines.isDoubtful(entries[$0].line) }
  }

  /// The numbers of the lines that were not found, in ascending order: what damage made of others.
  var missing: [UInt64] {
    entries.indices.filter { !used[$0] }.map { entries[$0].line }.sorted()
  }

  /// Returns the line that was read, unless it was found before as often as it was; else nil.
  mutating func take(_ digest: UInt64) -> UInt64? {
    number += 1
    guard digest != 0 else { return nil }
    let plain = LineDigests.plain(digest)
    let first = entries.indices.searched { entries[$0].digest < plain }
    let isThere = first < entries.count && entries[first].digest == plain
    // Settings may have changed since it was read.
    let kind =
      isThere ? entries[first].kind : lines.tellKinds ? LineDigests.kind(digest) : .skipped
    for scope in Scope.allCases where scope.has(kind) { parts[scope.rawValue].take(plain) }
    let index = isThere ? first + foundOf[first] : first
    guard isThere, index < entries.count, entries[index].digest == plain else {
      between += 1
      return nil
    }
    let line = entries[index].line
    foundOf[first] += 1
    used[index] = true
    isInPlace[index] = line == number
    found += 1
    if line < lastLine { turns += 1 }
    if line > lastLine + 1, between == 0 { hasGap = true }
    between = 0
    lastLine = line
    return line
  }
}
