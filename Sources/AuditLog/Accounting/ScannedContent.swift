/// The outcome of looking through a file's decompressed content. Of a file that is still being written, only the whole part counts.
struct ScannedContent: Sendable {
  var sha256: [UInt8]
  var bytes: UInt64
  var lines: UInt64
  var resumeBytes: UInt64
  var resumeLines: UInt64
  /// The heads that came undamaged, as far as the stream tells.
  var heads = HeadDigests([])
  /// False where there is none, and where damage may have garbled the longest before it showed.
  var isHeadProven = true
  /// True where it is proven, and none is longer: it tells every input that begins as this one does.
  var hasWholeHead = true
  /// The marks of all heads that came, damaged or not (``HeadDigests/marks``).
  var marks: [UInt64] = []
  var fileBytes: UInt64
  /// The longest accounted content that it begins with, and where to go on.
  var grownFrom: (source: UInt32, at: UInt64)?
  /// The line of that content that is read again with what followed it, and true if it was damaged.
  var resumed: (line: UInt64?, isDamaged: Bool) = (nil, false)
  /// The accounted contents that it begins with or is, the shortest first.
  var recognised: [AccountedInput]
  /// True where more is to be expected behind it.
  var isOpen = false
  /// True where it is a part of a known content, from its beginning: a copy that is being written,
  /// or was cut off. Nothing in it is new.
  var isPartOfKnown = false
  /// True where it is undamaged as far as it goes, and ends in the middle of a line or a frame.
  var endsInside = false
  var isDamaged = false
  /// The ranges in which damage may have made lines of others, in ascending order.
  var unproven: [Range<UInt64>] = []
  /// The damaged inputs that it may be a whole copy of.
  var damagedCandidates: [AccountedInput] = []
  /// The inputs among them that were read from this file, or from its path.
  var damagedHere: Set<UInt32> = []
  /// Lines that were read before from one of them (``PlannedPart/passed``).
  var passed: [Range<UInt64>] = []
  /// The inputs among them whose whole copy it is: a file may have come damaged more than once.
  var replaced: [ReplacedInput] = []
  /// The numbers of lines that were found of the damaged inputs of which lines are passed over. Of several whole
  /// files the one with the most is the whole copy.
  var claims: [UInt32: Int] = [:]
  /// What tells that a shorter content is a part of it (``ContentMarks``).
  var contentMarks: [UInt64] = []
  /// The lines of a damaged content (``DamagedLines/kept``). It is empty if there are too many.
  var lineDigests: [UInt64] = []

  /// Returns what is to be remembered of it, its source's number being `source`.
  func accounted(source: UInt32, name: String) -> AccountedInput {
    var input = AccountedInput(
      source: source, name: name, sha256: sha256, bytes: bytes, lines: lines,
      resumeBytes: resumeBytes, resumeLines: resumeLines, head: heads.last)
    input.isDamaged = isDamaged
    input.isHeadProven = isHeadProven
    return input
  }

  /// Adds those of the latest damaged inputs that no head tells, theirs or its own: of those with lines the
  /// ones that are about as long, and a few others.
  mutating func addCandidates(_ latest: [AccountedInput]) {
    let isAnyPossible = isDamaged && !hasWholeHead
    let others = latest.filter { input in
      (isAnyPossible || !input.isHeadProven)
        && !damagedCandidates.contains { $0.source == input.source }
    }
    let near = others.filter { $0.lines > 0 && isAboutAsLong(as: $0) }
    let apart = others.filter {
      $0.lines > 0 && !isAboutAsLong(as: $0) && (isDamaged || $0.bytes / 2 <= bytes)
    }
    let lineless = others.filter { $0.lines == 0 }
    damagedCandidates =
      lineless.suffix(Self.mostLineless) + apart.suffix(Self.mostApart)
      + near.suffix(Self.mostUnproven) + damagedCandidates
  }

  /// Returns whether an input is about as long.
  func isAboutAsLong(as input: AccountedInput) -> Bool {
    let longer = max(input.bytes, bytes)
    return longer - min(input.bytes, bytes) <= longer / 8
  }

  /// Notes the damaged inputs that it begins with: all of their lines are in it.
  mutating func noteClaims() {
    for input in recognised where input.isDamaged && !input.isReplaced {
      claims[input.source] = Int(clamping: input.lines)
    }
  }

  /// Has some damaged inputs be those of other files.
  mutating func leave(_ sources: Set<UInt32>) {
    guard !sources.isEmpty else { return }
    damagedCandidates.removeAll { sources.contains($0.source) }
    recognised.removeAll { sources.contains($0.source) && $0.isDamaged }
    replaced.removeAll { sources.contains($0.source) }
    if let from = grownFrom, sources.contains(from.source) { grownFrom = nil }
  }

  /// Returns whether it begins, as far as heads tell, like an input that is not shorter.
  func beginsLike(_ input: AccountedInput) -> Bool {
    let index = AccountedInput.headLength(input.bytes).trailingZeroBitCount
    guard input.bytes >= bytes, let head = input.head, index < marks.count else { return false }
    return marks[index] == HeadDigests.mark(head)
  }

  /// Returns whether a head tells that it begins with what was proven of an input.
  func hasHead(of input: AccountedInput) -> Bool {
    input.head.map { marks.contains(HeadDigests.mark($0)) } ?? false
  }

  /// Returns whether, by the lengths, it may be a damaged copy of an input: damage loses lines, and hardly
  /// makes any, but it may make one very long.
  func mayBeCopy(of input: AccountedInput) -> Bool {
    input.bytes >= bytes || input.lines >= lines || isAboutAsLong(as: input)
  }

  /// The most candidates of which nothing but their length speaks for it: their lines are compared.
  private static let mostUnproven = 4
  /// The most of those of other lengths: damage may have lost the most of them, or made one line very long.
  private static let mostApart = 2
  /// The most candidates without lines: the front of the file is compared.
  private static let mostLineless = 64

  /// Has more ranges passed over.
  mutating func pass(_ ranges: [Range<UInt64>]) { passed = Self.union(passed + ranges) }

  /// Returns the union of ranges, in ascending order, with none that touches the next.
  static func union(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
    var all: [Range<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = all.last, range.lowerBound <= last.upperBound {
        all[all.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        all.append(range)
      }
    }
    return all
  }

  /// True where there is nothing in it that was not read before.
  var isNothingNew: Bool { isOpen && grownFrom.map { $0.at >= bytes } ?? (bytes == 0) }

  /// The part of it that is to be read.
  var part: PlannedPart {
    var part = PlannedPart(
      from: grownFrom?.at ?? 0, to: bytes, sha256: sha256, fileBytes: fileBytes)
    part.isOpen = isOpen
    part.passed = passed
    return part
  }
}
