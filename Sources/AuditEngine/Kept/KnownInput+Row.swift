package import AuditLog
internal import Compression

// What is known of inputs, for tables and for streams.

extension RowCoder {
  package mutating func digests(_ digests: inout [LineDigest]) throws(AuditError) {
    var bits = digests.map(\.bits)
    try numbers(&bits)
    if isReading { digests = bits.map(LineDigest.init(bits:)) }
  }
}

extension RowCoder {
  mutating func lines(_ lines: inout LineRanges) throws(AuditError) {
    var bounds = lines.bounds
    try numbers(&bounds)
    guard isReading else { return }
    let found = LineRanges(bounds: bounds)
    try require(found != nil)
    lines = found ?? lines
  }
}

extension LineDamage: CodedRow {
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var lost = lost.map { UInt64($0) }
    try coder.number(&openBytes)
    try coder.flag(&isCompressed)
    try coder.lines(&doubtful)
    try coder.lines(&cut)
    try coder.numbers(&lost)
    try coder.list(&places)
    try coder.require(lost.last ?? 0 <= Int.max && zip(lost, lost.dropFirst()).allSatisfy(<=))
    if coder.isReading { self.lost = lost.map { Int(clamping: $0) } }
  }
}

extension LineDamage.Place: CodedRow {
  package init() { self.init(kind: .truncated, byteOffset: 0, lines: 0..<0, line: 0) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (from, to) = (lines.lowerBound, lines.upperBound)
    try coder.value(&kind)
    try coder.number(&byteOffset)
    try coder.number(&from)
    try coder.number(&to)
    try coder.number(&line)
    try coder.require(0 <= from && from <= to && 0 <= line)
    if from <= to { lines = from..<to }
  }
}

extension KnownInput: CodedRow {
  /// Codes everything but which lines are superseded.
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (earliest, latest) = (span?.lowerBound, span?.upperBound)
    try coder.number(&source)
    try coder.text(&name)
    try coder.number(&lines)
    try coder.counted(&content)
    try coder.require(content.count == 16)
    try coder.digests(&first)
    try coder.optional(&earliest)
    try coder.optional(&latest)
    try coder.packed(&damage)
    guard coder.isReading else { return }
    try coder.require(earliest ?? .min <= latest ?? .max)
    if let earliest, let latest, earliest <= latest { span = earliest...latest }
  }
}

extension ReadInputs.Entry: CodedRow {
  package init() { self.init(input: KnownInput(), digests: [], stamp: nil) }

  /// Codes everything but the digests of the lines.
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try input.fields(&coder)
    try coder.lines(&input.superseded)
    try coder.optional(&stamp)
    try coder.flag(&isSetAside)
    try coder.optional(&grownFrom)
  }
}

extension ReadInputs.Explained: CodedRow {
  package init() { self.init(source: 0, superseded: [], repaired: []) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.number(&source)
    try coder.numbers(&superseded)
    try coder.list(&repaired)
  }
}

extension FileStamp: CodedRow {
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.text(&path)
    try coder.number(&device)
    try coder.number(&inode)
    try coder.number(&size)
    try coder.number(&modified)
    try coder.number(&changed)
  }
}

extension KeptRowMark: CodedRow {
  package init() { self.init(run: 0, head: 0, position: 0) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.number(&run)
    try coder.number(&head)
    try coder.number(&position)
    try coder.require(position >= 0)
  }
}
