internal import AppAttest
internal import AuditLog

// What a stage has counted, as a row of a stream.
extension AuditTotals {
  /// The numbers of fixed order, also of signatures and of bytes spilled.
  private static var tallies: [WritableKeyPath<VerificationTally, UInt64>] {
    [
      \.batch, \.openssl, \.confirmed, \.undecided, \.crossChecked,
    ]
  }
  private static var lists: [WritableKeyPath<AuditTotals, [UInt64]>] {
    [
      \.verdicts, \.keys, \.findingsBySeverity, \.findingsByCode,
    ]
  }

  private mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    // An engine adds up the first counts while it runs, and need not know the others.
    for var shown in [records.lines, records.unreadable, findingsBySeverity.reduce(0, +)] {
      try coder.count(&shown)
    }
    for count in RecordCounts.all { try coder.count(&records[keyPath: count]) }
    for tally in Self.tallies { try coder.count(&signatures[keyPath: tally]) }
    try coder.count(&spilledBytes)
    for list in Self.lists {
      for index in self[keyPath: list].indices { try coder.count(&self[keyPath: list][index]) }
    }
    for index in worstByCode.indices { try coder.value(&worstByCode[index]) }
    for index in accepted.indices {
      try coder.count(&accepted[index].count)
      try coder.count(&accepted[index].moreSevere)
    }
    try unconfigured.fields(&coder)
    try signs.fields(&coder)
  }

  /// The row, with its form in front.
  var bytes: [UInt8] {
    var totals = self
    return BytesEncoder.bytes(.totals) { (row) throws(AuditError) in try totals.fields(&row) }
  }

  /// Adds what another process counted: a row without its form.
  mutating func add(row: UnsafeRawBufferPointer) throws(AuditError) {
    var (other, decoder) = (self, unsafe RowDecoder(row, nil, RowBounds(), isPacked: true))
    do {
      try other.fields(&decoder)
      try decoder.require(decoder.rest == 0)
    } catch { throw FrameReader.broken("a row of totals is not as it should be") }
    self += other
  }

  /// Adds what another process or thread counted, in the same settings.
  static func += (sum: inout AuditTotals, other: AuditTotals) {
    for count in RecordCounts.all { sum.records[keyPath: count] &+= other.records[keyPath: count] }
    for tally in tallies { sum.signatures[keyPath: tally] &+= other.signatures[keyPath: tally] }
    sum.spilledBytes &+= other.spilledBytes
    for list in lists {
      for (index, count) in other[keyPath: list].enumerated() {
        sum[keyPath: list][index] &+= count
      }
    }
    for (index, worst) in other.worstByCode.enumerated() {
      sum.worstByCode[index] = [sum.worstByCode[index], worst].compactMap(\.self).max()
    }
    for (index, entry) in other.accepted.enumerated() {
      sum.accepted[index].count &+= entry.count
      sum.accepted[index].moreSevere &+= entry.moreSevere
    }
    sum.unconfigured += other.unconfigured
    sum.signs += other.signs
  }
}
