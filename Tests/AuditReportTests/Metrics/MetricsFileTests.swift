import AuditEngine
import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import AuditReport

struct MetricsFileTests {
  private let scratch = made { try Scratch() }
  private var path: String { scratch.path + "/attest.prom" }

  private func write(_ time: Int64 = 5000, status: Int32 = 0, to path: String? = nil) throws {
    let end = RunEnd(time: time, elapsed: 10, status: status, pipeline: "p.yaml")
    try MetricsFile(path: path ?? self.path).write(
      InMemoryResult.sample(), news: nil, facts: Rows.facts, end: end)
  }

  private func fail(_ time: Int64 = 9000, status: Int32 = 73) throws {
    try MetricsFile(path: path).write(
      failure: RunEnd(time: time, elapsed: 20, status: status, pipeline: "p.yaml"))
  }

  private func parsed() throws -> PrometheusText {
    try PrometheusText(scratch.text("attest.prom"))
  }

  private func put(_ text: String, at name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: scratch.path + "/" + name))
  }

  // MARK: Good runs

  @Test func `everybody may read it, whatever the umask`() async {
    // In a process of its own: the umask holds for every thread.
    await #expect(processExitsWith: .success) {
      umask(0o777)
      let scratch = try Scratch()
      _ = unsafe chmod(scratch.path, 0o700)
      let path = scratch.path + "/a.prom"
      let end = RunEnd(time: 0, elapsed: 0, status: 70, pipeline: nil)
      try MetricsFile(path: path).write(failure: end)
      var facts = stat()
      guard unsafe lstat(path, &facts) == 0, facts.st_mode == S_IFREG | 0o644 else { exit(2) }
    }
  }

  // MARK: Failed runs

  @Test(arguments: [
    ("", 0), ("\u{0}\u{FF}\n", 0), ("other_metric 1\n", 0), ("attest_audit_lines 1", 0),
    ("attest_audit_lines 1\nattest_audit_keys 2", 1),
    ("# HELP other x\n# TYPE other gauge\nother 1\nattest_audit_lines 1\n", 1),
    ("attest_audit_last_run_exit_status 0\nattest_audit_last_run_odd 1\n", 0),
    (String(repeating: "attest_audit_lines 1\n", count: 60_000), 0),
  ])
  func `of a former file only whole lines of ours stay`(_ former: String, _ kept: Int) throws {
    try put(former, at: "attest.prom")
    try fail()
    let lines = try scratch.text("attest.prom").split(separator: "\n")
    #expect(lines.count == 9 + kept)
    #expect(lines.count { $0 == "attest_audit_lines 1" } == kept)
    _ = try parsed()
  }

  @Test func `a former file that cannot be read is left alone`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(error { try fail() }?.code == .file(EISDIR))
    #expect(try scratch.names == ["attest.prom"])
  }

  // MARK: Trouble

  @Test(arguments: ["", "/", ".", "..", "a/", "a/.", "a/..", "a\u{0}b"])
  func `what names no file is refused`(_ path: String) {
    guard case .file = error({ _ = try MetricsFile(path: path) })?.code else {
      Issue.record("'\(path)' was taken")
      return
    }
  }

  @Test func `what a killed run left beside is taken over`() throws {
    try put(String(repeating: "half of a file\n", count: 1000), at: ".attest.prom.partial")
    try write()
    #expect(try scratch.names == ["attest.prom"])
    #expect(try parsed().value("attest_audit_last_run_exit_status") == 0)
  }

  @Test func `a link beside is not followed`() throws {
    try put("precious", at: "other")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/.attest.prom.partial", withDestinationPath: "other")
    #expect(error { try write() }?.code == .file(ELOOP))
    #expect(try scratch.text("other") == "precious")
  }

  @Test func `many writers at once never leave half a file`() throws {
    let failures = Mutex<[String]>([])
    let path = path
    DispatchQueue.concurrentPerform(iterations: 40) { index in
      let end = RunEnd(
        time: Int64(index) * 1000, elapsed: 0, status: 0,
        pipeline: String(repeating: "p", count: index * 50))
      do throws(AuditError) {
        try MetricsFile(path: path).write(
          InMemoryResult.sample(), news: nil, facts: Rows.facts, end: end)
      } catch {
        failures.withLock { $0.append(error.context) }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try scratch.names == ["attest.prom"])
    #expect(Set(try parsed().families.flatMap(\.samples).map { $0.labels["pipeline"] }).count == 1)
  }
}
