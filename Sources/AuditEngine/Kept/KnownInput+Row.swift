package import AuditLog

// What is known of inputs, for tables and for streams.

extension RowCoder {
  package mutating func digests(_ digests: inout [LineDigest]) throws(AuditError) {
    var bits = digests.map(\.bits)
    try numbers(&bits)
    if isReading { digests = bits.map(LineDigest.init(bits:)) }
  }
}

extension KnownInput: CodedRow {
  /// Codes everything but which lines are superseded.
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (earliest, latest) = (span?.lowerBound, span?.upperBound)
    var numbers = damage.numbers
    try coder.number(&source)
    try coder.text(&name)
    try coder.number(&lines)
    try coder.counted(&content)
    try coder.require(content.count == 16)
    try coder.digests(&first)
    try coder.optional(&earliest)
    try coder.optional(&latest)
    try coder.numbers(&numbers)
    guard coder.isReading else { return }
    let found = LineDamage(numbers: numbers)
    try coder.require(found != nil && earliest ?? .min <= latest ?? .max)
    if let earliest, let latest, earliest <= latest { span = earliest...latest }
    damage = found ?? damage
  }
}

extension ReadInputs.Entry: CodedRow {
  package init() { self.init(input: KnownInput(), digests: [], stamp: nil) }

  /// Codes everything but the digests of the lines.
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var bounds = input.superseded.bounds
    try input.fields(&coder)
    try coder.numbers(&bounds)
    try coder.optional(&stamp)
    try coder.flag(&isSetAside)
    try coder.optional(&grownFrom)
    guard coder.isReading else { return }
    let superseded = LineRanges(bounds: bounds)
    try coder.require(superseded != nil)
    input.superseded = superseded ?? input.superseded
  }
}

extension ReadInputs.Explained: CodedRow {
  package init() { self.init(source: 0, superseded: [], repaired: []) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var damage = LineDamage()
    damage.places = repaired
    var numbers = damage.numbers
    try coder.number(&source)
    try coder.numbers(&superseded)
    try coder.numbers(&numbers)
    guard coder.isReading else { return }
    let found = LineDamage(numbers: numbers)
    try coder.require(found != nil)
    repaired = found?.places ?? []
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
