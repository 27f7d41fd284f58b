import AppAttest
import AuditEngine
import AuditLog
import Testing

@testable import AuditReport

/// The keys that `report.html` draws.
struct PageKeysTests {
  private func finding(_ number: Int, _ severity: Severity = .low) -> Finding {
    var finding = Rows.full
    finding.keyID = key(number)
    finding.severity = severity
    finding.decision = .accepted
    finding.count = 1
    return finding
  }

  private func key(_ number: Int) -> Digest256 {
    Digest256.sha256(Array("\(number)".utf8).span)
  }

  @Test func `the worst of more keys than the table holds are found, whenever they come`() {
    let count = 3 * PageKeys.limit
    // The later, the worse.
    let worst = [5, count / 3 + 9, count / 2 + 9, count - 3]
    var keys = PageKeys()
    for number in 0..<count {
      keys.add(finding(number))
      for (place, bad) in worst.enumerated() where bad == number {
        for line in 0...place {
          var grave = finding(number, .critical)
          grave.position.line = UInt64(number * 8 + line)
          keys.add(grave)
        }
      }
    }
    let drawn = keys.worst
    #expect(drawn.count == PageKeys.shown)
    #expect(drawn.prefix(worst.count).map(\.keyID) == worst.reversed().map(key))
    #expect(drawn.prefix(worst.count).map(\.count.accepted) == [4, 3, 2, 1])
    #expect(drawn.prefix(worst.count).map(\.count.findings) == [5, 4, 3, 2])
    // Of equals the first identifiers.
    let equals = drawn.dropFirst(worst.count).map(\.keyID)
    #expect(equals == equals.sorted())
    let others = (0..<count).filter { !worst.contains($0) }.map(key).sorted()
    #expect(equals == Array(others.prefix(equals.count)))
  }

  @Test(
    arguments: [
      ([.critical], [.high, .high, .high]), ([.high], [.medium, .medium]),
      ([.high, .high], [.high]),
    ] as [([Severity], [Severity])])
  func `of two keys the one with the worst accepted abuse is first, then the one with more of it`(
    _ worse: [Severity], _ other: [Severity]
  ) {
    for (first, second) in [(1, 2), (2, 1)] {
      var keys = PageKeys()
      for (number, severities) in [(first, worse), (second, other)] {
        for (line, severity) in severities.enumerated() {
          var finding = finding(number, severity)
          finding.position.line = UInt64(number * 8 + line)
          keys.add(finding)
        }
      }
      // What was rejected is less.
      var rejected = finding(second, .critical)
      rejected.decision = .rejected
      keys.add(rejected)
      #expect(keys.worst.map(\.keyID) == [key(first), key(second)])
    }
  }

  @Test func `a drawn key has its row of the table, and no other one`() {
    var keys = PageKeys()
    for number in 0..<20 { keys.add(finding(number)) }
    let drawn = keys.worst.map(\.keyID)
    for number in 0..<20 {
      var row = Rows.key
      row.keyID = key(number)
      row.assertions = UInt64(number)
      keys.add(row)
    }
    #expect(keys.worst.map(\.keyID) == drawn)
    #expect(keys.worst.map { $0.row?.keyID } == drawn)
    for entry in keys.worst {
      #expect(entry.row?.assertions == (0..<20).first { key($0) == entry.keyID }.map(UInt64.init))
    }
  }
}
