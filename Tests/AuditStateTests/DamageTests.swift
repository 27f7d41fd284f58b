import AppAttest
import AuditEngine
import AuditLog
import Files
import Foundation
import RowShuffle
import TestSupport
import Testing

@testable import AuditState

struct DamageTests {
  /// A state with something in every place, and a run that uses all of it.
  private struct Used {
    let bench: StateBench
    let records: [[UInt8]]
    let rows: [[UInt8]]
    let keys: [KeptKey]

    init() throws {
      bench = StateBench()
      var random = RandomState()
      records = (0..<200).map { _ in random.record(random.bytes(32)) }
        .sorted { $0.lexicographicallyPrecedes($1) }
      rows = (0..<60).map { _ in random.bytes(700) }
      keys = (0..<30).map { _ in random.digest() }.sorted().map { random.key($0) }
      let used = self
      try bench.night(0) { history throws in
        for key in used.keys { try history.keys.remember(key, isNew: true) }
        try history.remember(records: used.records)
        try history.keep(rows: used.rows)
        try history.findings.remember(1, .keyUnknown, keyID: nil)
      }
    }

    /// Asks for everything. Returns true if it all came back, and false where it was called
    /// damaged.
    func use() throws -> Bool {
      do {
        let run = try bench.open(.reference).beginRun(StateBench.facts(1))
        for record in records {
          guard try run.history.records(of: Array(record.prefix(33))) == [record] else {
            throw Wrong()
          }
        }
        guard try run.history.keptRows() == [rows] else { throw Wrong() }
        for key in keys { guard try run.history.keys.key(key.keyID) == key else { throw Wrong() } }
        guard try run.history.findings.sighting(1)?.times == 1 else { throw Wrong() }
        return true
      } catch let error as AuditError {
        guard case .damaged = error.code else { throw error }
        return false
      }
    }

    /// Something came back that was never written.
    struct Wrong: Error {}
  }

  @Test func `a byte that changed in a segment is found by verify, and never used`() throws {
    let used = try Used()
    #expect(try used.use())
    for name in ["hashes/1.seg", "prefixes/1.seg", "events/1.seg"] {
      let size = try used.bench.scratch.bytes("state/\(name)").count
      var offsets = [0, 9, 4095, size - 1]
      offsets += (0..<40).map { _ in Int.random(in: 0..<size) }
      var unnoticed = 0
      for offset in offsets {
        try used.bench.flip(name, at: offset)
        let damages = try StateVerification.run(path: used.bench.path).damages
        #expect(damages.map(\.code) == [.damaged(file: name)])
        if try used.use() { unnoticed += 1 }
        try used.bench.flip(name, at: offset)
      }
      // A run reads all of these: whatever changed, it must not get through.
      #expect(unnoticed == 0)
      #expect(try used.use())
    }
  }

  @Test func `a segment that is cut, empty, missing, or another one is damage`() throws {
    let used = try Used()
    var random = RandomState()
    try used.bench.night(1) { history throws in
      try history.remember(records: (0..<200).map { _ in random.record(random.bytes(32)) })
    }
    let path = used.bench.path + "/hashes/1.seg"
    let whole = try used.bench.scratch.bytes("state/hashes/1.seg")
    let other = try used.bench.scratch.bytes("state/hashes/2.seg")
    let longer = whole + [0]
    for bytes in [[], Array(whole.prefix(100)), Array(whole.dropLast()), longer, other] {
      try used.bench.scratch.write("state/hashes/1.seg", bytes)
      #expect(
        try StateVerification.run(path: used.bench.path).damages.map(\.code)
          == [.damaged(file: "hashes/1.seg")])
      #expect(try !used.use())
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(try !used.use())
    let found = try StateVerification.run(path: used.bench.path)
    // The earlier state still has the file that was written last.
    let files = ["hashes/1.seg", "generations/2/hashes/1.seg"]
    #expect(found.damages.map(\.code) == files.map { .damaged(file: $0) })
    #expect(found.segments == 2)
    // Never built again: advance refuses it, too.
    #expect(throws: StateError.self) {
      _ = try used.bench.open().beginRun(StateBench.facts(2))
    }
  }

  @Test func `blocks that changed places are damage`() throws {
    let used = try Used()
    var bytes = try used.bench.scratch.bytes("state/hashes/1.seg")
    let size = SegmentBlock.byteCount
    #expect(bytes.count == 3 * size)
    let first = bytes[size..<(2 * size)]
    bytes.replaceSubrange(size..<(2 * size), with: bytes[(2 * size)...])
    bytes.replaceSubrange((2 * size)..., with: first)
    try used.bench.scratch.write("state/hashes/1.seg", bytes)
    #expect(try !used.use())
    #expect(try StateVerification.run(path: used.bench.path).damages.count == 1)
  }

  @Test func `an index that differs from its table is damage`() throws {
    let used = try Used()
    let state = try used.bench.open(.reference)
    let page = try state.database.number(
      "SELECT rootpage * (SELECT page_size FROM pragma_page_size) FROM sqlite_schema "
        + "WHERE name = 'sources_by_name'")
    try used.bench.flip("state.sqlite", at: Int(page ?? 0) - 1)
    #expect(
      try StateVerification.run(path: used.bench.path).damages.map(\.code)
        == [.damaged(file: "state.sqlite")])
  }

  @Test func `a byte that changed in the database is found by verify, and traps nobody`() throws {
    let used = try Used()
    let name = "state.sqlite"
    let size = try used.bench.scratch.bytes("state/\(name)").count
    let whole = try used.bench.scratch.bytes("state/\(name)")
    var found = 0
    // Verify does not see a changed name of a column, which only a query notices.
    var unseen = 0
    for _ in 0..<150 {
      let offset = Int.random(in: 0..<size)
      try used.bench.flip(name, at: offset)
      // Some bytes are nobody's: room that is free, numbers that only say how to read on.
      let damages = (try? StateVerification.run(path: used.bench.path))?.damages ?? []
      let isWhole = try? used.use()
      if isWhole == false, damages.isEmpty { unseen += 1 }
      found += damages.isEmpty ? 0 : 1
      try used.bench.scratch.write("state/\(name)", whole)
    }
    #expect(found > 0 && unseen < 6)
    #expect(try used.use())
  }

  @Test func `a row that was changed by other means is damage`() throws {
    let used = try Used()
    let database = try StateDatabase(path: used.bench.path + "/state.sqlite", readOnly: false)
    try database.run("UPDATE keys SET counters = x'00'")
    database.close()
    #expect(try !used.use())
    let damages = try StateVerification.run(path: used.bench.path).damages
    #expect(
      damages.map(\.context) == [
        "the state is damaged: state.sqlite: a row of the table keys is not what was written"
      ])
  }

  @Test func `rows that are gone are damage`() throws {
    for table in ["keys", "sources"] {
      let used = try Used()
      let database = try StateDatabase(path: used.bench.path + "/state.sqlite", readOnly: false)
      try database.run("DELETE FROM \(table)")
      if table == "sources" {
        var input = KnownInput()
        (input.name, input.content) = ("log", [UInt8](repeating: 1, count: 16))
        try InputTable.inputs.insert(database, InputTable.Input(input: input, run: 1))
      }
      database.close()
      #expect(try StateVerification.run(path: used.bench.path).damages.count == 1)
    }
  }

  @Test func `a database that is lost, empty or something else is never made again`() throws {
    for content in [nil, [], Array("no database at all".utf8)] as [[UInt8]?] {
      let used = try Used()
      for name in ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"] {
        try FileManager.default.removeItem(atPath: "\(used.bench.path)/\(name)")
      }
      if let content { try used.bench.scratch.write("state/state.sqlite", content) }
      let files = try used.bench.files
      for mode in RunMemory.Mode.allCases {
        let error = #expect(throws: StateError.self) { _ = try used.bench.open(mode) }
        #expect(error?.code == .damaged(file: "state.sqlite"))
      }
      let damages = try StateVerification.run(path: used.bench.path).damages
      #expect(damages.map(\.code) == [.damaged(file: "state.sqlite")])
      #expect(try bench(used, files))
    }
  }

  /// Returns true if the segments are as they were.
  private func bench(_ used: Used, _ files: [String]) throws -> Bool {
    let segments = { (names: [String]) in names.filter { $0.hasSuffix(".seg") } }
    return segments(try used.bench.files) == segments(files)
  }

  @Test func `an intent that says nothing sensible is damage`() throws {
    let used = try Used()
    let intent = StateIntent(runID: "x", pid: 1, report: "report")
    try intent.write(in: Folder(path: used.bench.path))
    #expect(try StateIntent.read(in: Folder(path: used.bench.path)) == intent)
    let whole = try used.bench.scratch.bytes("state/intent")
    for bytes in [[], Array(whole.dropLast()), whole.map { $0 == 0x31 ? 0x32 : $0 }, [0, 0, 0, 0]] {
      try used.bench.scratch.write("state/intent", bytes)
      let error = #expect(throws: StateError.self) { _ = try used.bench.open() }
      #expect(error?.code == .damaged(file: "intent"))
      #expect(try StateVerification.run(path: used.bench.path).damages.count == 1)
    }
  }
}
