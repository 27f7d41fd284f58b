import AuditEngine
import Files
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AuditState

struct StateTransactionTests {
  /// Remembers everything that a run can remember.
  private func fill(_ history: RunMemory) throws {
    var random = RandomState()
    try history.keys.remember(random.key(random.digest()), isNew: true)
    try history.keys.remember(
      KeptDevice(device: random.digest(), keyID: random.digest(), time: 1, isValid: true))
    try history.remember(records: (0..<50).map { _ in random.record(random.bytes(32)) })
    try history.keep(rows: [random.bytes(100)])
    try history.findings.remember(3, .keyUnknown, keyID: nil)
  }

  private func report(_ bench: StateBench, _ name: String, id: String) throws {
    try bench.scratch.write(
      "reports/\(name)/summary.json", "{\n  \"run\": {\n    \"id\": \"\(id)\"\n  }\n}\n")
    try bench.scratch.write("reports/\(name)/findings.csv", "severity\r\n")
  }

  private func reports(_ bench: StateBench) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bench.scratch.path + "/reports").sorted()
  }

  @Test func `an abandoned run leaves the state as it was`() throws {
    let bench = StateBench()
    try bench.night(0, fill)
    let before = (try bench.open(.reference).info(), try bench.files)
    for isPrepared in [false, true] {
      let state = try bench.open()
      let run = try state.beginRun(StateBench.facts(1))
      try fill(run.history)
      if isPrepared { try run.prepare(StateBench.outcome()) }
      run.abandon()
      run.abandon()
      #expect(throws: StateError.self) { try run.commit() }
      run.finish()
    }
    #expect(try bench.files == before.1)
    let after = try bench.open(.reference).info()
    #expect(after.latest == before.0.latest)
    #expect(after.rememberedHashes == 50)
    #expect(try StateVerification.run(path: bench.path).damages == [])
  }

  @Test func `a failed commit takes its report along`() throws {
    let bench = StateBench()
    try bench.scratch.makeFolder("reports")
    let facts = StateBench.facts(0)
    let run = try bench.open().beginRun(facts)
    try run.announce(report: bench.scratch.path + "/reports/today/")
    try report(bench, "today", id: facts.id)
    run.abandon()
    #expect(try reports(bench).isEmpty)
    #expect(try !bench.files.contains("intent"))
  }

  @Test func `what a killed run left goes with the next opening, and nothing else`() throws {
    let bench = StateBench()
    try bench.night(0, fill)
    let files = try bench.files
    try bench.scratch.makeFolder("reports")
    let facts = StateBench.facts(1)
    let intent = StateIntent(
      runID: facts.id, pid: 4711, report: "today")
    try intent.write(in: Folder(path: bench.path))
    try report(bench, "today", id: facts.id)
    try report(bench, ".today.partial-4711", id: facts.id)
    try report(bench, "yesterday", id: "another")
    try report(bench, ".today.partial-4712", id: "a run that goes on")
    for name in ["hashes/2.seg", "events/77.seg", "intent.new", "spill.abc", "creating.sqlite-wal"]
    {
      try bench.scratch.write("state/\(name)", "half")
    }
    try bench.scratch.write("state/hashes/README", "mine")
    // Whoever does not know where reports lie leaves them, and the note of them.
    _ = try bench.open()
    #expect(try reports(bench).count == 4)
    let state = try bench.open(reports: "reports")
    #expect(state.notices.count == 1)
    #expect(try bench.files == (files + ["hashes/README"]).sorted())
    #expect(try reports(bench) == [".today.partial-4712", "yesterday"])
  }

  @Test func `a report of another run at the same place stays, and one that stepped aside returns`()
    throws
  {
    let bench = StateBench()
    _ = try bench.open()
    try bench.scratch.makeFolder("reports")
    let intent = StateIntent(
      runID: "mine", pid: 4711, report: "today")
    try intent.write(in: Folder(path: bench.path))
    try report(bench, "today", id: "another's")
    try report(bench, ".today.partial-4711", id: "mine")
    _ = try bench.open(reports: "reports")
    #expect(try reports(bench) == ["today"])
    // Killed between the two renames of a file system without exchange.
    try intent.write(in: Folder(path: bench.path))
    unsafe rename(
      bench.scratch.path + "/reports/today", bench.scratch.path + "/reports/.today.former-4711")
    try report(bench, ".today.partial-4711", id: "mine")
    _ = try bench.open(reports: "reports")
    #expect(try reports(bench) == ["today"])
    let summary = try bench.scratch.bytes("reports/today/summary.json")
    #expect(String(decoding: summary, as: UTF8.self).contains("another's"))
  }

  @Test func `killed after its commit, a run's report stays`() throws {
    let bench = StateBench()
    try bench.scratch.makeFolder("reports")
    let facts = StateBench.facts(0)
    do {
      let run = try bench.open().beginRun(facts)
      try run.announce(report: bench.scratch.path + "/reports/today")
      try fill(run.history)
      try report(bench, "today", id: facts.id)
      try report(bench, ".today.partial-\(getpid())", id: "the former one")
      try run.prepare(StateBench.outcome())
      try run.commit()
    }
    #expect(try bench.files.contains("intent"))
    #expect(try bench.open(reports: "reports").notices == [])
    #expect(try !bench.files.contains("intent"))
    #expect(try reports(bench) == ["today"])
    #expect(
      try bench.open(.reference).info().latest.map(\.report) == [
        bench.scratch.path + "/reports/today"
      ])
  }

  @Test func `reference reads the state as it was, whatever goes on beside it`() throws {
    let bench = StateBench()
    var random = RandomState()
    let first = random.record(random.bytes(32))
    let second = random.record(random.bytes(32))
    let key = random.key(random.digest())
    try bench.night(0, window: 1) { try $0.remember(records: [first]) }
    let state = try bench.open(.reference, day: 1)
    let run = try state.beginRun(StateBench.facts(1))
    // Beside it a night adds some, and forgets what the reference reads.
    try bench.night(9, window: 1) { history throws in
      try history.remember(records: [second])
      try history.keys.remember(key, isNew: true)
    }
    #expect(try bench.files.filter { $0.hasPrefix("hashes/") } == ["hashes/2.seg"])
    let groups = [first, second].map { Array($0.prefix(33)) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    let found = try groups.flatMap { try run.history.records(of: $0) }
    #expect(found == [first])
    #expect(try run.history.keys.key(key.keyID) == nil)
    try run.announce(report: bench.scratch.path + "/report")
    try run.prepare(StateBench.outcome())
    try run.commit()
    run.abandon()
    #expect(try bench.open(.reference).info().runs == 2)
  }

  @Test func `a full disk at any moment leaves the state as it was`() throws {
    let bench = StateBench()
    guard let disk = try SmallDisk(bench.path, bytes: 4 << 20) else {
      print("skipped: no file system can be mounted here, so no disk can be full")
      return
    }
    try bench.night(0, fill)
    let before = try bench.open(.reference).info()
    var failures = 0
    for room in stride(from: 0, to: 1 << 20, by: 8192) {
      try disk.leave(room)
      do {
        try bench.night(1, fill)
        break
      } catch let error as AuditError {
        #expect(error.code == .file(ENOSPC))
      }
      failures += 1
      try disk.leave(nil)
      #expect(try StateVerification.run(path: bench.path).damages == [])
      let after = try bench.open(.reference).info()
      #expect(after.latest == before.latest)
      #expect(after.rememberedHashes == before.rememberedHashes)
    }
    #expect(failures > 3)
    #expect(try bench.open(.reference).info().runs == 2)
    #expect(try StateVerification.run(path: bench.path).damages == [])
    #expect(try bench.files.filter { $0.hasSuffix(".seg") }.count == 6)
  }
}

/// A file system of its own that is soon full; unmounted when it goes.
private final class SmallDisk {
  private let path: String

  /// Mounts one at `path`. Returns nil if that is not allowed.
  init?(_ path: String, bytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard unsafe Glibc.mount("tmpfs", path, "tmpfs", 0, "size=\(bytes),mode=700") == 0 else {
      return nil
    }
    // A state directory holds nothing else: the ballast lies in a folder that it takes for its own.
    try FileManager.default.createDirectory(
      atPath: path + "/events", withIntermediateDirectories: true)
  }

  deinit { unsafe umount2(path, Int32(MNT_DETACH)) }

  /// Fills the disk but for so many bytes. Without a number it empties the disk.
  func leave(_ room: Int?) throws {
    let name = path + "/events/ballast"
    unsafe unlink(name)
    guard let room else { return }
    var facts = statvfs()
    guard unsafe statvfs(path, &facts) == 0 else { throw CocoaError(.fileReadUnknown) }
    let free = Int(facts.f_bavail) * Int(facts.f_frsize)
    try Data(count: max(0, free - room)).write(to: URL(fileURLWithPath: name))
  }
}
