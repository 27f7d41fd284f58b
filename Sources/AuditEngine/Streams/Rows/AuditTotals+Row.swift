internal import AppAttest
internal import AuditLog

// What a stage has counted, as a row of a stream.
extension AuditTotals {
  /// The numbers of fixed order; those of signatures and of bytes spilled are of no report's findings,
  /// and yet are said.
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

  /// The counts that an engine adds up while it runs. They are first in the row, so that an engine need not know the others.
  private var shown: [UInt64] {
    [records.lines, records.unreadable, findingsBySeverity.reduce(0, +)]
  }

  /// The row, with its form in front.
  var bytes: [UInt8] {
    var row = [RowForm.totals.rawValue]
    for count in shown { row.append(number: count) }
    for count in RecordCounts.all { row.append(number: records[keyPath: count]) }
    for tally in Self.tallies { row.append(number: signatures[keyPath: tally]) }
    row.append(number: spilledBytes)
    for list in Self.lists {
      for count in self[keyPath: list] { row.append(number: count) }
    }
    for worst in worstByCode { row.append(worst?.rawValue ?? .max) }
    for entry in accepted {
      row.append(number: entry.count)
      row.append(number: entry.moreSevere)
    }
    unconfigured.write(to: &row)
    signs.write(to: &row)
    return row
  }

  /// Adds what another process counted: a row without its form.
  mutating func add(row: UnsafeRawBufferPointer) throws(AuditError) {
    var walk = unsafe RowWalk(row, RowWalk.Bounds(apps: 0))
    for _ in shown { _ = walk.count() }
    for count in RecordCounts.all { records[keyPath: count] &+= walk.count() }
    for tally in Self.tallies { signatures[keyPath: tally] &+= walk.count() }
    spilledBytes &+= walk.count()
    for list in Self.lists {
      for index in self[keyPath: list].indices { self[keyPath: list][index] &+= walk.count() }
    }
    for index in worstByCode.indices {
      let worst = Severity(rawValue: walk.number())
      worstByCode[index] = [worstByCode[index], worst].compactMap(\.self).max()
    }
    for index in accepted.indices {
      accepted[index].count &+= walk.count()
      accepted[index].moreSevere &+= walk.count()
    }
    unconfigured.add(try UnconfiguredApps(&walk))
    signs.add(&walk)
    guard walk.isSound, walk.rest == 0 else {
      throw FrameReader.broken("a row of totals is not as it should be")
    }
  }
}
