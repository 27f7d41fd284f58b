import AppAttest
import AuditLog
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

/// The state in memory that other tests rely on.
@Suite struct `State in memory` {
  private func record(_ hash: UInt8, line: UInt64 = 1) -> [UInt8] {
    KeptRecord(
      hash: digest(hash), kind: .assertion, time: 1, position: Position(source: 0, line: line)
    ).bytes
  }

  private func remember(_ bytes: [UInt8], _ history: RunMemory) throws {
    try withRow(bytes) { unsafe try history.hashes.remember($0) }
  }

  private func recall(_ bytes: [UInt8], _ history: RunMemory) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    let group = Array(bytes.prefix(KeptRecord.groupLength))
    try withRow(group) { group in
      unsafe try history.hashes.forEach(group) { bytes throws(AuditError) in
        found.append(unsafe Array(bytes))
      }
    }
    return found
  }

  private func keep(_ bytes: [UInt8], _ history: RunMemory) throws {
    try withRow(bytes) { unsafe try history.events.keep($0) }
  }

  @Test func `a line that an earlier run replaced is not replaced again`() {
    var history = MemoryHistory().beginRun()
    history.replacedLines = [7: [2, 9]]
    history.take(
      ReadInputs(
        key: LineKey(),
        explained: [ReadInputs.Explained(source: 7, superseded: [1, 2, 3], repaired: [])]))
    let lines = (1...9).map { Position(source: 7, line: UInt64($0)) }
    #expect(lines.filter(history.isNewlyReplaced).map(\.line) == [1, 3])
    #expect(lines.filter(history.isReplaced).map(\.line) == [1, 2, 3, 9])
  }

  @Test func `records of all runs come back in the order of the runs`() throws {
    let memory = MemoryHistory()
    for night in 0..<3 {
      let history = memory.beginRun(names: ["\(night)a", "\(night)b"])
      #expect(history.firstSource == UInt32(2 * night))
      for hash in UInt8(1)...3 { try remember(record(hash, line: UInt64(night)), history) }
      memory.commit()
    }
    let history = memory.beginRun()
    #expect(history.sourceName(3) == "1b" && history.sourceName(6) == "")
    #expect(try recall(record(0), history) == [])
    #expect(try recall(record(2), history) == (0..<3).map { record(2, line: $0) })
    #expect(try recall(record(9), history) == [])
  }

  @Test func `whoever does not keep to the order is told so`() throws {
    let memory = MemoryHistory()
    let history = memory.beginRun()
    func expectMisuse(_ body: () throws -> Void) {
      let error = #expect(throws: AuditError.self) { try body() }
      #expect(error?.code == .inconsistent)
    }
    try remember(record(2), history)
    try remember(record(2), history)
    expectMisuse { try remember(record(1), history) }
    expectMisuse { try remember([1], history) }
    _ = try recall(record(2), history)
    expectMisuse { _ = try recall(record(2), history) }
    expectMisuse { _ = try recall([1], history) }
    _ = try history.keys.key(digest(5))
    expectMisuse { _ = try history.keys.key(digest(4)) }
    try history.keys.remember(KeptKey(keyID: digest(5)))
    expectMisuse { try history.keys.remember(KeptKey(keyID: digest(5))) }
    try keep([UInt8](repeating: 5, count: 60), history)
    expectMisuse { try keep([UInt8](repeating: 4, count: 60), history) }
    expectMisuse { try keep([UInt8](repeating: 6, count: 20_000), history) }
    for _ in 0..<3 { _ = try history.events.runs() }
    expectMisuse { _ = try history.events.runs() }
    expectMisuse { try history.findings.close(1) }
    let reference = memory.beginRun(mode: .reference)
    expectMisuse { try remember(record(2), reference) }
    expectMisuse { try keep([UInt8](repeating: 5, count: 60), reference) }
    expectMisuse { try reference.keys.remember(KeptKey(keyID: digest(5))) }
    expectMisuse { try reference.findings.remember(1, .counterGap, keyID: nil) }
  }

  @Test func `kept rows are read in pieces, and go after their days`() throws {
    let memory = MemoryHistory(pendingDays: 3)
    let rows = (0..<50).map { [UInt8](repeating: UInt8($0), count: 3000) }
    let history = memory.beginRun(date: "2026-02-26")
    for row in rows { try keep(row, history) }
    memory.commit()
    func read(_ date: String) throws -> [[UInt8]] {
      var found: [[UInt8]] = []
      for run in try memory.beginRun(date: date).events.runs() {
        var held = unsafe run.nothing
        while true {
          let bytes = unsafe try run.read(behind: held)
          guard bytes.count > 0 else { break }
          let length = unsafe Int(bytes.loadUnaligned(as: UInt32.self))
          unsafe found.append(Array(bytes[4..<(4 + length)]))
          unsafe held = UnsafeRawBufferPointer(rebasing: bytes[(4 + length)...])
        }
      }
      return found
    }
    #expect(try read("2026-03-01") == rows)
    #expect(try read("2026-03-02") == [])
  }

  @Test func `findings are counted by the runs that reported them`() throws {
    let memory = MemoryHistory()
    for date in ["2026-11-20", "2026-11-21"] {
      let history = memory.beginRun(date: date)
      for _ in 0..<3 { try history.findings.remember(7, .counterGap, keyID: digest(1)) }
      memory.commit()
    }
    let history = memory.beginRun(date: "2026-11-22")
    #expect(
      try history.findings.sighting(7) == Sighting(firstSeen: "2026-11-20", times: 2, worst: .high))
    #expect(try history.findings.sighting(8) == nil)
    try history.findings.close(7)
    memory.commit()
    #expect(memory.state.findings[7]?.isClosed == true)
  }
}
