import Foundation
import Glibc
import TestSupport
import Testing

/// A plain file that changes while it is read, without a state.
struct EndChangeTests {
  private let audit: EndAudit

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("a.jsonl", audit.day.log() + Self.filling)
  }

  /// So many bytes of blank lines that a reader is held up in the middle of them once nobody takes its batches.
  private static let filling = Array(
    String(repeating: String(repeating: " ", count: 4095) + "\n", count: 6 << 10).utf8)

  /// Starts an audit, stops the process in the middle of the file, calls `change`, and lets it go on.
  private func run(_ change: (String) throws -> Void) throws -> Program.Outcome {
    try #require(
      try run([]) { _ in
        true
      } change: { position, path in
        try #require(position < Self.filling.count, "the file was read before it could be changed")
        try change(path)
      })
  }

  /// The same once a position in the file is one to stop at, or nil if there was none.
  private func run(
    _ more: [String], isStop: (Int) -> Bool, change: (Int, String) throws -> Void
  ) throws -> Program.Outcome? {
    let running = try Program.start(
      EndAudit.arguments(["a.jsonl", "--quiet", "--jobs", "1", "--memory", "64MiB"] + more),
      in: audit.scratch.path)
    let path = audit.scratch.path + "/a.jsonl"
    guard running.poll(until: { running.position(of: path).map { $0 > 0 && isStop($0) } ?? false })
    else {
      _ = try running.wait()
      return nil
    }
    // A file that is cut while a page of it is being read gives zeros for the rest of that page.
    try #require(running.stop())
    try change(try #require(running.position(of: path)), path)
    running.send(SIGCONT)
    return try running.wait()
  }

  /// A change of the file, and what is said of it.
  private static let changes:
    [(notice: String, status: Int32, change: @Sendable (String) throws -> Void)] =
      [
        (
          "was written to while it was read: part of it may not be audited", 2,
          { path in
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.write(contentsOf: Data("x".utf8))
          }
        ),
        (
          "grew while it was read: new content after its end is not audited", 0,
          { path in
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data("\n\n".utf8))
          }
        ),
        (
          "was replaced or removed after it was read: new content there is not audited", 2,
          { path in
            try Data("x\n".utf8).write(to: URL(filePath: path + ".new"))
            #expect(unsafe rename(path + ".new", path) == 0)
          }
        ),
      ]

  @Test(arguments: changes.indices)
  func `a change is noticed, and what was read is audited`(_ index: Int) throws {
    let (notice, status, change) = Self.changes[index]
    let outcome = try run(change)
    #expect(outcome.status == status && outcome.output == "")
    #expect(outcome.errors == "attest-audit: notice: a.jsonl \(notice)\n")
    #expect(try audit.report.inputs == ["a.jsonl ok"])
    #expect(try audit.report.summary.records["attestations"] == 3)
  }

  @Test func `the audit begins again if a file was emptied after it was examined`() throws {
    try audit.scratch.write("b.jsonl", audit.day.log())
    var (last, readings) = (0, 1)
    let outcome = try run(["b.jsonl", "--state", "state", "--settle", "0s"]) { position in
      // It is examined, compared, and read.
      if position < last { readings += 1 }
      last = position
      return readings == 3
    } change: { _, path in
      #expect(unsafe truncate(path, 0) == 0)
    }
    // It may have been read too fast.
    guard let outcome else { return }
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("a.jsonl changed while it was read: the audit begins again\n"))
    #expect(try audit.report.summary.records["attestations"] == 3)
  }

  @Test func `one that is cut is truncated`() throws {
    let outcome = try run { path in
      #expect(unsafe truncate(path, 1 << 16) == 0)
    }
    #expect(outcome == Program.Outcome(status: 2, output: "", errors: ""))
    #expect(try audit.report.findings == ["high stream.truncated a.jsonl:0"])
    #expect(try audit.report.inputs == ["a.jsonl truncated"])
    let detail = try #require(try audit.report.details("stream.truncated").first)
    #expect(detail.hasPrefix("The file was cut while it was read: it had "))
  }
}

extension RunningProgram {
  /// Returns the offset up to which the program has read a file, or nil if it does not have it
  /// open.
  fileprivate func position(of path: String) -> Int? {
    let folder = "/proc/\(identifier)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd")) ?? []
    for name in names
    where (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(name)"))
      == path
    {
      guard
        let facts = try? String(contentsOfFile: "\(folder)/fdinfo/\(name)", encoding: .utf8),
        let line = facts.split(separator: "\n").first(where: { $0.hasPrefix("pos:") })
      else { return nil }
      return Int(line.dropFirst(4).filter(\.isNumber))
    }
    return nil
  }
}
