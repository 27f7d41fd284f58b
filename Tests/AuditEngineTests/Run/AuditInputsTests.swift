import AppAttest
import AuditLog
import Basics
import Files
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AuditEngine

/// A ledger in memory that does something when it is asked for the inputs.
private final class Ledger: InputLedger {
  let key = LineKey()
  private let entries = Mutex<[ReadInputs.Entry]>([])
  private let whenAsked: @Sendable () throws -> Void

  init(whenAsked: @escaping @Sendable () throws -> Void = {}) {
    self.whenAsked = whenAsked
  }

  func account(for read: ReadInputs?) {
    entries.withLock { $0 += read?.entries ?? [] }
  }

  func isKnown(_ stamp: FileStamp) throws -> Bool {
    entries.withLock { $0.contains { $0.stamp == stamp } }
  }

  func inputs() throws -> [KnownInput] {
    try whenAsked()
    return entries.withLock { $0.map(\.input) }
  }

  func forEachPiece(of source: UInt32, _ body: ([LineDigest]) -> Void) throws {
    body(entries.withLock { $0.first { $0.input.source == source }?.digests ?? [] })
  }
}

/// Whole audits that account for their inputs.
@Suite struct `Audit that accounts for its inputs` {
  private let scratch = made { try TestSupport.Scratch() }

  private final class Notices: Sendable {
    let lines = Mutex<[String]>([])
  }

  private func configuration(
    _ inputs: [String], _ ledger: Ledger?, _ history: RunMemory?
  ) -> AuditConfiguration {
    var configuration = AuditConfiguration(
      inputs: inputs, apps: [], trustAnchors: [AppleTrust.appAttestationRootCA],
      receiptAnchors: [AppleTrust.rootCAG3],
      limits: AuditLimits(memory: 64 << 20, jobs: 2, tempDirectory: scratch.path))
    // The lines are no records, and nobody asks why.
    configuration.limits.rejectRate = 1
    configuration.history = history
    configuration.accounting = ledger.map { InputAccounting(ledger: $0, settle: 0, now: 0) }
    return configuration
  }

  private func run(
    _ inputs: [String], _ ledger: Ledger?, _ history: RunMemory? = nil,
    _ notices: Notices = Notices()
  ) throws -> any AuditResult {
    try Audit(
      configuration: configuration(inputs, ledger, history), progress: AuditProgress(),
      notice: { line in notices.lines.withLock { $0.append(line) } }
    ).run()
  }

  private func rejects(_ result: any AuditResult) throws -> [String] {
    var rows: [String] = []
    try result.forEachReject {
      rows.append("\($0.position.source):\($0.position.line)@\($0.byteOffset)")
    }
    return rows
  }

  @Test func `every line is audited once, under the number it has in its file`() throws {
    let ledger = Ledger()
    let memory = MemoryHistory()
    let path = try scratch.write("a", "one\ntwo\n")
    let copy = try scratch.write("b", "one\ntwo\n")
    let notices = Notices()
    let first = try run([path, copy], ledger, memory.beginRun(names: ["a", "b"]), notices)
    memory.commit()
    ledger.account(for: first.accounted)
    #expect(first.inputs.map(\.status) == [.ok, .ok])
    #expect(first.totals.lines == 4 && first.totals.known == 2)
    #expect(try rejects(first) == ["0:1@0", "0:2@4"])
    #expect(notices.lines.withLock { $0 } == ["\(copy): all 2 lines were read before, in \(path)"])
    #expect(first.accounted?.entries.map(\.input.source) == [0, 1])
    try scratch.write("a", "one\ntwo\nthree\n")
    let more = Notices()
    let second = try run([copy, path], ledger, memory.beginRun(names: ["b", "a"]), more)
    ledger.account(for: second.accounted)
    #expect(second.inputs.map(\.status) == [.known, .ok])
    #expect(second.inputs.map(\.lines) == [0, 3] && second.totals.known == 2)
    #expect(second.inputs.map(\.isGrown) == [false, true])
    #expect(try rejects(second) == ["3:3@8"])
    #expect(second.accounted?.entries.map(\.input.source) == [3])
    #expect(
      more.lines.withLock { $0 } == [
        "\(path): 2 of 3 lines were read before, in \(path), \(copy)",
        "\(copy) has not changed since an earlier run read it",
      ])
    #expect(try run([path, copy], ledger).totals.lines == 0)
    #expect(try run([path, copy], nil).accounted == nil)
  }

  @Test func `lines have the kinds as which they are read (records.R97)`() throws {
    let request = "\"keyId\":\"\(String(repeating: "ab", count: 32))\",\"token\":\"oA==\""
    let lines = [
      "{\"time\":7,\"challenge\":\"c\"}", "{\"time\":3,\(request),\"payload\":\"p\"}", "", "x",
      "{}",
      "{\"time\":2,\(request),\"challenge\":\"c\"}", "{\"time\":9,\"platform\":\"android\"}",
    ]
    let inputs = [
      try scratch.write("a", lines.joined(separator: "\n") + "\n"),
      try scratch.write("b", lines.reversed().joined(separator: "\n")),
    ]
    let configuration = configuration(
      inputs, Ledger(), MemoryHistory().beginRun(names: ["a", "b"]))
    let scanned = try AuditInputs(
      configuration, run: Cancellation<AuditError>(), progress: AuditProgress(), notice: { _ in })
    let read = try Audit(configuration: configuration, progress: AuditProgress()) { _ in }.run()
    #expect(read.accounted?.entries == scanned.accounted?.entries)
    #expect(read.accounted?.entries.map(\.input.span) == [2000...3000, 2000...3000])
  }

  /// Returns a memory without anything, which does something between the scan and the reading.
  private func memory(_ change: @escaping @Sendable () throws -> Void) -> RunMemory {
    var memory = MemoryHistory().beginRun(names: ["a"])
    memory.orderSources = { _, _ throws(AuditError) in
      do { try change() } catch { throw AuditError(.inconsistent, "\(error)") }
      return SourceOrder()
    }
    return memory
  }

  @Test func `a file that changes between the scan and its reading ends the run`() throws {
    let path = try scratch.write("a", "one\ntwo\n")
    let folder = scratch.path
    for change in [
      { try Data("one\ntWo\n".utf8).write(to: URL(fileURLWithPath: folder + "/a")) },
      { try Data("one\n".utf8).write(to: URL(fileURLWithPath: folder + "/a")) },
      { try FileManager.default.removeItem(atPath: folder + "/a") },
    ] as [@Sendable () throws -> Void] {
      try scratch.write("a", "one\ntwo\n")
      #expect(throws: AuditError(.inputChanged, "\(path) changed while it was read")) {
        try run([path], Ledger(), memory(change))
      }
    }
    // What is only added is left to the next run.
    try scratch.write("a", "one\ntwo\n")
    let ledger = Ledger()
    let result = try run(
      [path], ledger,
      memory { try Data("one\ntwo\nthree\n".utf8).write(to: URL(fileURLWithPath: folder + "/a")) })
    #expect(try rejects(result) == ["0:1@0", "0:2@4"])
    ledger.account(for: result.accounted)
    #expect(try rejects(run([path], ledger)) == ["0:3@8"])
  }

  @Test func `what the ledger throws ends the run`() throws {
    struct Odd: Error {}
    let path = try scratch.write("a", "one\n")
    let damage = AuditError(.damaged(file: "x"), "the state is damaged: x")
    #expect(throws: damage) { try run([path], Ledger(whenAsked: { throw damage })) }
    #expect(throws: AuditError(.inconsistent, "Odd()")) {
      try run([path], Ledger(whenAsked: { throw Odd() }))
    }
  }

  @Test func `a run for reference reads everything, and does not compare it with itself`() throws {
    let ledger = Ledger()
    let memory = MemoryHistory()
    let path = try scratch.write("a", "one\ntwo\n")
    ledger.account(for: try run([path], ledger, memory.beginRun(names: ["a"])).accounted)
    memory.commit()
    let history = memory.beginRun(mode: .reference, names: ["a", "b"])
    let other = try scratch.write("b", "two\n")
    let again = try run([other, path], ledger, history)
    #expect(again.totals.lines == 3 && again.totals.known == 0 && again.accounted == nil)
    #expect(again.inputs.map(\.status) == [.ok, .ok])
    for (inputs, known) in [([other], false), ([other, path], true)] {
      let planned = try AuditInputs(
        configuration(inputs, ledger, history), run: Cancellation<AuditError>(),
        progress: AuditProgress(),
        notice: { _ in })
      let history = planned.history
      #expect(history?.isReread(Position(source: 0, line: 1)) == known)
      let lines = [(1, 1), (2, 1), (2, 2), (2, 3)].map { source, line in
        history?.earlierSource(of: Position(source: UInt32(source), line: UInt64(line)))
      }
      #expect(lines == (known ? [nil, 0, 0, nil] : [nil, nil, nil, nil]))
      #expect(planned.sources.allSatisfy { $0.part == nil })
    }
  }
}
