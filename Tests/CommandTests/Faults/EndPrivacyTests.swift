import Foundation
import Glibc
import TestSupport
import Testing

/// The permissions of a report. It holds subjects, and the heads of lines.
struct EndPrivacyTests {
  private let audit: EndAudit

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("a.jsonl", audit.day.log() + Array("x\n".utf8))
  }

  /// Returns the permissions of the report's folder, and those of all its files.
  private func modes() throws -> (folder: mode_t, files: Set<mode_t>) {
    func mode(_ path: String) -> mode_t {
      var facts = stat()
      return unsafe lstat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
    }
    let report = audit.report
    let files = try report.names.map { mode("\(report.path)/\($0)") }
    #expect(files.count >= 7)
    return (mode(report.path), Set(files))
  }

  @Test(arguments: ["000", "002", "022", "077", "177"])
  func `a report is its owner's alone, whatever the umask`(_ umask: String) throws {
    let outcome = try audit.run(
      "a.jsonl", "--quiet", "--verdicts", shell: "umask \(umask); exec \"$@\"")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try modes() == (0o700, [0o600]))
    // One that takes the place of another, too.
    #expect(try audit.run("a.jsonl", "--quiet", shell: "umask \(umask); exec \"$@\"").status == 0)
    #expect(try modes() == (0o700, [0o600]))
  }

  @Test(
    arguments: [
      ("0640", 0o750, 0o640), ("0750", 0o750, 0o640), ("640", 0o750, 0o640),
      ("\"0644\"", 0o755, 0o644), ("0664", 0o775, 0o664), ("0600", 0o700, 0o600),
      ("0620", 0o720, 0o620),
    ] as [(String, mode_t, mode_t)])
  func `report.mode says who else reads it`(
    _ text: String, _ folder: mode_t, _ file: mode_t
  ) throws {
    let audit = try EndAudit(settings: "report: {mode: \(text)}\n")
    try audit.scratch.write("a.jsonl", audit.day.log())
    let outcome = try audit.run("a.jsonl", "--quiet", shell: "umask 077; exec \"$@\"")
    #expect(outcome.status == 0, "\(outcome.errors)")
    var facts = stat()
    #expect(unsafe lstat(audit.report.path, &facts) == 0)
    #expect(facts.st_mode & 0o7777 == folder)
    for name in try audit.report.names {
      #expect(unsafe lstat("\(audit.report.path)/\(name)", &facts) == 0)
      #expect(facts.st_mode & 0o7777 == file, "\(name)")
    }
  }

  @Test(arguments: ["0400", "0666", "0777", "1600", "64", "rw", "0o640", "-640", "06400", "0648"])
  func `a mode that shuts the owner out or lets everybody write is an error`(
    _ text: String
  ) throws {
    let audit = try EndAudit(settings: "report: {mode: \(text)}\n")
    try audit.scratch.write("a.jsonl", audit.day.log())
    let outcome = try audit.run("a.jsonl")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("report.mode: '\(text)' is not permissions from 0600 to 0775"))
    #expect(try !audit.scratch.names.contains("report"))
  }
}
