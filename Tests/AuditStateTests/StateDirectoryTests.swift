import AuditEngine
import AuditLog
import Files
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AuditState

struct StateDirectoryTests {
  private func code(_ body: () throws -> Void) -> StateError.Code? {
    do { try body() } catch { return (error as? StateError)?.code }
    return nil
  }

  @Test func `advance makes a state for its owner alone, and an empty one is whole`() throws {
    let bench = StateBench()
    _ = try bench.open()
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: bench.path + name)[.posixPermissions] as? Int
    }
    for name in ["", "/hashes", "/prefixes", "/events"] { #expect(try mode(name) == 0o700) }
    for name in ["/state.sqlite", "/state.sqlite-wal", "/lock"] {
      #expect(try mode(name) == 0o600)
    }
    let info = try bench.open(.reference).info()
    #expect(info.keys == 0)
    #expect(info.runs == 0)
    #expect(info.format == StateFormat.version)
    #expect(try StateVerification.run(path: bench.path).damages == [])
  }

  @Test func `a folder with other files is nobody's state`() throws {
    let bench = StateBench()
    try bench.scratch.write("state/notes.txt", "mine")
    #expect(code { _ = try bench.open(.reference) } == .notAState)
    #expect(code { _ = try bench.open() } == .notAState)
    #expect(try bench.files == ["notes.txt"])
    try bench.scratch.write("file", "")
    #expect(throws: StateError.self) {
      _ = try StateDirectory.open(path: bench.scratch.path + "/file", mode: .advance, now: 0)
    }
    #expect(throws: StateError.self) {
      _ = try StateDirectory.open(path: bench.scratch.path + "/no/where", mode: .advance, now: 0)
    }
  }

  @Test
  func `one run at a time: the error names the run that has locked the state, and since when`()
    throws
  {
    let bench = StateBench()
    var holder: StateDirectory? = try bench.open()
    let error = #expect(throws: StateError.self) { _ = try bench.open() }
    #expect(error?.code == .locked(pid: getpid(), since: StateBench.start))
    #expect(
      error?.context
        == "another run has locked the state \(bench.path): process \(getpid()) since "
        + "2025-11-21T04:40:00Z")
    // Those that only read are not held up.
    _ = try bench.open(.reference).info()
    let clock = ContinuousClock()
    let waited = clock.measure { _ = try? bench.open(wait: 300) }
    #expect(waited >= .milliseconds(290))
    Thread.detachNewThread { [holder] in
      usleep(200_000)
      withExtendedLifetime(holder) {}
    }
    holder = nil
    _ = try bench.open(wait: 20_000)
  }

  @Test func `a lock file that says nothing sensible is no obstacle`() throws {
    let bench = StateBench()
    _ = try bench.open()
    try bench.scratch.write("state/lock", [0xFF, 0, 0x20, 0x39])
    let descriptor = unsafe Glibc.open(bench.path + "/lock", O_RDWR)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let error = #expect(throws: StateError.self) { _ = try bench.open() }
    #expect(error?.code == .locked(pid: nil, since: 9))
    #expect(error?.context == "another run has locked the state \(bench.path)")
  }

  @Test func `a state with another format is refused and left as it is`() throws {
    for version in [StateFormat.version - 1, StateFormat.version + 1] {
      let bench = StateBench()
      try bench.night(0)
      try withExtendedLifetime(bench.open()) { state in
        try MetaTable.set(state.database, .format, Int64(version))
      }
      let files = try bench.files
      #expect(code { _ = try bench.open() } == .otherFormat(version))
      #expect(code { _ = try bench.open(.reference) } == .otherFormat(version))
      #expect(code { _ = try StateVerification.run(path: bench.path) } == .otherFormat(version))
      #expect(try bench.files == files)
    }
  }
}
