import AuditEngine
import Basics
import Files
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AuditState

/// A state that others could change is not read.
struct StateAccessTests {
  @Test(arguments: [0o777, 0o722, 0o770, 0o702, 0o1777] as [mode_t])
  func `a directory that others can write into is refused`(_ permissions: mode_t) throws {
    let bench = StateBench()
    try bench.night(0)
    #expect(unsafe chmod(bench.path, permissions) == 0)
    for mode in [RunMemory.Mode.advance, .reference] {
      #expect(error { _ = try bench.open(mode) }?.code == .exposed)
    }
    #expect(unsafe chmod(bench.path, 0o755) == 0)
    _ = try bench.open(.reference)
  }

  @Test(arguments: [
    "hashes", "events", "state.sqlite", "state.sqlite-wal", "state.sqlite-shm", "lock", "intent",
  ])
  func `nothing in a state is a link to elsewhere`(_ name: String) throws {
    let bench = StateBench()
    try bench.night(0)
    let inner = "\(bench.path)/\(name)"
    let outer = "\(bench.scratch.path)/elsewhere"
    if FileManager.default.fileExists(atPath: inner) {
      try FileManager.default.moveItem(atPath: inner, toPath: outer)
    } else {
      try bench.scratch.write("elsewhere", "")
    }
    try FileManager.default.createSymbolicLink(atPath: inner, withDestinationPath: outer)
    for mode in [RunMemory.Mode.advance, .reference] {
      #expect(error { _ = try bench.open(mode) }?.code == .damaged(file: name))
    }
  }

  @Test func `an intent that names a way out is damage, and nothing goes`() throws {
    for report in ["../outside", "/outside", ".", ".."] {
      let bench = StateBench()
      try bench.night(0)
      try bench.scratch.write("outside/summary.json", "{\"id\": \"mine\"}")
      try bench.scratch.makeFolder("reports")
      try StateIntent(runID: "mine", pid: 1, report: report)
        .write(in: Folder(path: bench.path))
      #expect(error { _ = try bench.open(reports: "reports") }?.code == .damaged(file: "intent"))
      #expect(try bench.scratch.names.contains("outside"))
    }
  }
}
