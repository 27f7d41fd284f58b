import Foundation
import Glibc
import TestSupport
import Testing

/// Calls of the system that fail, one at a time and all from one on: a clear error or a finding, the
/// right status, nothing half-written, and a state that the next night goes on with.
@Suite(
  .enabled(if: FaultShim.library != nil, "there is no C compiler to build the shim with"),
  .disabled(if: Sanitizer.isActive, "a sanitizer has calls of its own"))
struct EndFaultTests {
  /// The places of the failing calls among the calls of a kind: all up to 200 at night.
  private static let playsAll =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_FAULTS"] == "all"
  private static let numbers = playsAll ? Array(1...200) : [1, 3, 8, 19, 40]
  private static let numbersFollowing = playsAll ? numbers : [1, 12]

  private static let faults: [(call: String, numbers: [Int32])] = [
    ("open", [EMFILE, EACCES]), ("read", [EIO, EINTR]), ("write", [ENOSPC, EINTR, 0]),
    ("fsync", [EIO]), ("rename", [EIO]), ("mkdir", [ENOSPC]), ("mmap", [ENOMEM]),
  ]

  private let audit: EndAudit

  init() throws {
    audit = try EndAudit(settings: "limits: {rejects: 100000}\n")
    try audit.scratch.write("a.jsonl", audit.day.log(0..<20))
    try audit.scratch.write("b.jsonl", Packed.zstd(audit.day.log(20..<33)))
  }

  private func run(
    _ environment: [String: String], _ flags: [String] = []
  ) throws -> Program.Outcome {
    try Program.run(
      [
        "audit", "a.jsonl", "b.jsonl", "--pipeline", "pipeline.yaml", "--out", "report", "--quiet",
        "--verdicts", "--temp-dir", "spill",
      ] + flags, in: audit.scratch.path, environment: environment)
  }

  @Test(arguments: faults.indices, [false, true])
  func `a call that fails is told, and leaves nothing half-done`(
    _ index: Int, _ isFollowing: Bool
  ) throws {
    let (call, errors) = Self.faults[index]
    let state = ["--state", "state", "--state-mode", "advance", "--settle", "0s"]
    let before = try audit.scratch.names
    let mark = try Scratch()
    numbers: for number in isFollowing ? Self.numbersFollowing : Self.numbers {
      for error in errors where !(isFollowing && error == EINTR) {
        let what = "\(call) \(number) \(error)"
        var environment = [
          "LD_PRELOAD": FaultShim.library ?? "", "FAULT_CALL": call, "FAULT_NUMBER": "\(number)",
          "FAULT_ERRNO": "\(error)", "FAULT_MARK": mark.path + "/hit",
        ]
        if isFollowing { environment["FAULT_FOLLOWING"] = "1" }
        let outcome = try run(environment, number.isMultiple(of: 3) ? [] : state)
        #expect(
          [0, 1, 2, 64, 65, 70, 73].contains(outcome.status), "\(what): \(outcome.status)")
        // What is interrupted or short is no fault of anybody.
        if error == EINTR || error == 0 {
          #expect(outcome.status == 0, "\(what): \(outcome.errors)")
        }
        if outcome.status >= 64, !(call == "write" && isFollowing) {
          #expect(outcome.errors.hasPrefix("attest-audit: "), "\(what)")
        }
        let left = try audit.scratch.names.filter { !before.contains($0) && $0 != "state" }
        if outcome.status >= 64 {
          // Where removing needs what fails, something may be left; the next run clears it away.
          if !isFollowing { #expect(left == [], "\(what): \(outcome.errors)") }
        } else {
          #expect(left == ["report"], "\(what)")
          #expect(try audit.report.names.contains("manifest.json"), "\(what)")
        }
        if FileManager.default.fileExists(atPath: audit.scratch.path + "/state") {
          let next = try run([:], state)
          #expect([0, 1, 2].contains(next.status), "after \(what): \(next.errors)")
        }
        for name in try audit.scratch.names where !before.contains(name) {
          try FileManager.default.removeItem(atPath: "\(audit.scratch.path)/\(name)")
        }
        if (try? FileManager.default.removeItem(atPath: mark.path + "/hit")) == nil {
          #expect(number > 1, "\(what): no such call")
          // A run with a state has more calls of each kind.
          if !number.isMultiple(of: 3) { break numbers }
        }
      }
    }
  }

  @Test(
    arguments: [EIO, ENOSPC, EINTR, ESPIPE], [1, 3])
  func `what a disk tells before a long file ends is not lost`(
    _ error: Int32, _ number: Int
  ) throws {
    // More than two windows of rows, each with a long path.
    let folder = repeatElement(String(repeating: "f", count: 200), count: 12).joined(separator: "/")
    try audit.scratch.write(
      folder + "/c.jsonl",
      (0..<8_000).map { "no record, but \($0) of many lines" }.joined(separator: "\n"))
    let outcome = try run(
      [
        "LD_PRELOAD": FaultShim.library ?? "", "FAULT_CALL": "sync", "FAULT_NUMBER": "\(number)",
        "FAULT_ERRNO": "\(error)",
      ], [folder])
    guard error == EIO || error == ENOSPC else {
      #expect(outcome.status == 2, "\(outcome.errors)")
      return #expect(try audit.report.names.contains("manifest.json"))
    }
    #expect(outcome.status == 73)
    #expect(outcome.errors.contains("attest-audit: error: cannot write report/findings."))
    #expect(try !audit.scratch.names.contains("report"))
  }

  @Test func `a disk that is full for one write leaves no table with a gap`() throws {
    // Many keys, so that their table is written in several pieces.
    let lines = try (0..<2500).map { number in
      let key = String(repeating: "0", count: 58) + String(number + 100_000, radix: 10)
      return try audit.day.line(20, ["keyId": key])
    }
    try audit.scratch.write("a.jsonl", lines.joined(separator: "\n") + "\n")
    let before = try audit.scratch.names
    var broken: [String: Int] = [:]
    for number in 1... {
      let outcome = try run([
        "LD_PRELOAD": FaultShim.library ?? "", "FAULT_CALL": "write", "FAULT_NUMBER": "\(number)",
        "FAULT_ERRNO": "\(ENOSPC)",
      ])
      guard outcome.status == 73 else {
        #expect(outcome.status <= 2 && number > 20, "\(number): \(outcome.errors)")
        break
      }
      #expect(try audit.scratch.names == before, "\(number)")
      let name = outcome.errors.firstMatch(of: /cannot write report\/(\S+?):/).map { String($0.1) }
      broken[name ?? outcome.errors, default: 0] += 1
    }
    #expect(broken["keys.csv"] ?? 0 > 1, "\(broken)")
  }

  @Test func `a process that gets no memory for rows says so`() throws {
    let outcome = try run([
      "LD_PRELOAD": FaultShim.library ?? "", "FAULT_CALL": "mmap", "FAULT_NUMBER": "1",
      "FAULT_ERRNO": "\(ENOMEM)", "FAULT_FOLLOWING": "1",
    ])
    #expect(outcome.status == 70)
    #expect(
      outcome.errors
        == "attest-audit: error: there is no memory for a buffer of rows\n"
        + "hint: allow more with ulimit -v, or use less with --memory and --jobs\n")
  }

  @Test(arguments: [40, -40, 4000])
  func `a clock that is wrong for one night takes no replay out of the memory`(
    _ days: Int
  ) throws {
    let flags = ["--state", "state", "--state-mode", "advance", "--settle", "0s"]
    func night(_ line: Int, _ environment: [String: String] = [:]) throws -> Program.Outcome {
      try audit.scratch.write("a.jsonl", audit.day.log(line..<line + 1))
      return try run(environment, flags + ["--overwrite"])
    }
    try audit.scratch.write("b.jsonl", audit.day.log(0..<20))
    #expect(try night(20).status == 0)
    let wrong = try night(
      21, ["LD_PRELOAD": FaultShim.library ?? "", "FAULT_DAYS": "\(days)"])
    #expect(wrong.status == 0, "\(wrong.errors)")
    let again = try audit.day.line(12, ["requestId": "another"])
    try audit.scratch.write("b.jsonl", again + "\n")
    #expect(try night(22).status == 1)
  }
}

/// Makes calls of the system fail.
private enum FaultShim {
  /// The shim that is loaded in front of the C library, or nil if it cannot be built.
  static let library: String? = {
    let path = NSTemporaryDirectory() + "attest-faults-\(getpid()).so"
    let compiled = try? Program.start(
      [
        "clang", "-shared", "-fPIC", "-O1", "-o", path,
        "\(Repository.root)/Tests/Faults/faults.c", "-ldl",
      ], in: NSTemporaryDirectory(),
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"],
      program: "/usr/bin/env"
    ).wait()
    return compiled?.status == 0 ? path : nil
  }()
}
