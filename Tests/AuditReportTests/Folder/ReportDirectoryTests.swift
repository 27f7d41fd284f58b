import Basics
import Files
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditReport

struct ReportDirectoryTests {
  private let scratch = made { try Scratch() }
  private var out: String { scratch.path + "/out" }

  @discardableResult
  private func write(
    _ result: InMemoryResult = InMemoryResult.sample(), overwrite: Bool = false
  ) throws -> [String] {
    try ReportDirectory(path: out, overwrite: overwrite).write(
      result, progress: AuditProgress(), run: { Rows.facts })
  }

  @Test func `overwrite follows a link to a report and keeps the link`() throws {
    try write()
    let link = scratch.path + "/latest"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "out")
    _ = try ReportDirectory(path: link, overwrite: true).write(
      InMemoryResult(), progress: AuditProgress(), run: { Rows.facts })
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "out")
    #expect(try scratch.names == ["latest", "out"])
    #expect(try scratch.text("out/findings.jsonl").isEmpty)
  }

  @Test func `a folder that appears while the audit runs is not touched`() throws {
    let report = try ReportDirectory(path: out, overwrite: false)
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
    let error = error {
      _ = try report.write(
        InMemoryResult.sample(), progress: AuditProgress(), run: { Rows.facts })
    }
    #expect(error?.code == .exists)
    #expect(try scratch.names == ["out"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: out).isEmpty)
  }

  @Test func `a report that is never written leaves nothing`() throws {
    do {
      let report = try ReportDirectory(path: out, overwrite: false)
      #expect(try scratch.names.count == 1)
      #expect(report.path == out)
    }
    #expect(try scratch.names.isEmpty)
  }

  @Test func `what a killed process with our number left is cleared away`() throws {
    let stale = scratch.path + "/.out.partial-\(getpid())"
    try FileManager.default.createDirectory(
      atPath: stale + "/deeper", withIntermediateDirectories: true)
    try Data("x".utf8).write(to: URL(fileURLWithPath: stale + "/findings.csv"))
    try write()
    #expect(try scratch.names == ["out"])
  }

  @Test func `the error of a stream is passed on, and nothing is left`() throws {
    var result = InMemoryResult.sample()
    result.interrupt = { throw AuditError(.cancelled, "the run was cancelled") }
    #expect(throws: AuditError(.cancelled, "the run was cancelled")) { try write(result) }
    #expect(try scratch.names.isEmpty)
  }

  @Test func `what comes before the placing finds every file, and no report`() throws {
    let out = out
    let scratch = scratch
    _ = try ReportDirectory(path: out, overwrite: false).write(
      InMemoryResult.sample(), ReportContents(verdicts: true), progress: AuditProgress(),
      run: { Rows.facts },
      beforePlacing: {
        #expect(!FileManager.default.fileExists(atPath: out))
        let folder = try #require(try scratch.names.first)
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/" + folder).sorted()
            == [
              "builds.csv", "findings.csv", "findings.jsonl", "keys.csv", "manifest.json",
              "rejects.jsonl", "summary.json", "verdicts.csv.zst",
            ])
      })
    #expect(try scratch.names == ["out"])
  }

  @Test func `where that fails there is no report`() throws {
    let failure = AuditError(.inconsistent, "the state cannot be written")
    #expect(throws: failure) {
      try ReportDirectory(path: out, overwrite: false).write(
        InMemoryResult.sample(), progress: AuditProgress(),
        run: { Rows.facts }, beforePlacing: { throw failure })
    }
    #expect(try scratch.names.isEmpty)
  }

  @Test func `a folder removed beneath the writer is an error`() throws {
    var result = InMemoryResult.sample()
    let path = scratch.path
    result.interrupt = {
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        try FileManager.default.removeItem(atPath: path + "/" + name)
      }
    }
    #expect(error { try write(result) }?.code == .file(ENOENT))
    #expect(try scratch.names.isEmpty)
  }

  @Test func `a report in place is not abandoned any more`() throws {
    let report = try ReportDirectory(path: out, overwrite: false)
    _ = try report.write(
      InMemoryResult.sample(), progress: AuditProgress(), run: { Rows.facts })
    #expect(!report.abandon())
    #expect(try scratch.names == ["out"])
  }

  @Test(arguments: [false, true])
  func `abandoned before or while it is written, a report fails and nothing is left`(
    _ isBefore: Bool
  ) throws {
    let report = try ReportDirectory(path: out, overwrite: false)
    var result = InMemoryResult.sample()
    result.interrupt = { report.abandon() }
    if isBefore { #expect(report.abandon()) }
    let failure = error {
      _ = try report.write(result, progress: AuditProgress(), run: { Rows.facts })
    }
    #expect(failure?.code == .cancelled)
    #expect(try scratch.names.isEmpty)
  }

  @Test func `a file that is longer than what is sent to the disk at once is whole`() throws {
    var file = OutputFile(
      try Folder(path: scratch.path).create("long", existing: .kept), cancellation: Cancellation())
    var expected = ""
    for number in 0..<400_000 {
      file.rows.append("row \(number) of a long file, which has many of them\n")
      try file.flushIfFull()
      expected += "row \(number) of a long file, which has many of them\n"
    }
    let entry = try file.finish()
    #expect(entry.size > 2 * 8 << 20)
    #expect(try scratch.text("long") == expected)
    #expect(entry.size == UInt64(expected.utf8.count))
  }
}
