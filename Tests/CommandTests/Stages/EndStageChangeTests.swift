import Foundation
import Glibc
import TestSupport
import Testing

/// Inputs that change after `stage plan` has found them, and before `stage map` reads them.
struct EndStageChangeTests {
  private let day: ForgedDay
  /// A file that is not compressed: it can be cut without damage that shows.
  private let plain: String

  init() throws {
    day = ForgedDay()
    try day.forge(["--clean", "--seed", "41", "--keys", "4", "--assertions", "60", "--files", "3"])
    let names = try FileManager.default.contentsOfDirectory(atPath: day.scratch.path + "/day/logs")
    plain = "day/logs/" + (try #require(names.first { $0.hasSuffix(".jsonl") }))
  }

  enum Change: String, CaseIterable {
    case fifo, link, folder, other, gone, cut
  }

  private var path: String { day.scratch.path + "/" + plain }

  private func make(_ change: Change) throws {
    let files = FileManager.default
    let size = try day.scratch.bytes(plain).count
    let aside = day.scratch.path + "/aside"
    switch change {
    case .cut:
      #expect(unsafe truncate(path, 40) == 0)
      return
    // What lies aside keeps its inode, which would else be that of the next file.
    case .link, .gone, .other: try files.moveItem(atPath: path, toPath: aside)
    case .fifo, .folder: try files.removeItem(atPath: path)
    }
    switch change {
    case .fifo: #expect(unsafe mkfifo(path, 0o600) == 0)
    case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: aside)
    case .folder: try day.scratch.makeFolder(plain)
    case .other:
      // Of the same size, and of another time.
      try day.scratch.write(plain, [UInt8](repeating: 0x0A, count: size))
      let old = Date(timeIntervalSince1970: 1_700_000_000)
      try files.setAttributes([.modificationDate: old], ofItemAtPath: path)
    case .gone, .cut: break
    }
  }

  /// Plays all stages; the input is named by its folder, or itself.
  private func play(
    _ flags: [String] = [], inputs: [String] = [], _ change: () throws -> Void
  ) throws -> (status: Int32, findings: [[String: String]]) {
    var play = StagePlay(day: day, flags: flags, parts: 2)
    play.limit = "exec timeout -s KILL 60 \"$@\""
    let status = try play.play(inputs, meanwhile: change)
    let rows = try day.scratch.report("staged").findingRows
    return (status, rows.filter { $0["code"]?.hasPrefix("stream.") == true })
  }

  @Test(arguments: Change.allCases, [true, false])
  func `what lies there now is not read, or said to be cut`(
    _ change: Change, _ isNamed: Bool
  ) throws {
    let inputs = isNamed ? [plain] : []
    let (status, findings) = try play(inputs: inputs) { try make(change) }
    #expect(status == 2)
    let code = change == .cut ? "stream.truncated" : "stream.unreadable"
    #expect(findings.map { $0["code"] } == [code])
    #expect(findings.first?["source"]?.hasSuffix(plain) == true)
    let words =
      switch change {
      case .gone: "o such file or directory"
      case .cut: "The file was cut before it was read: it had "
      case .fifo, .link, .folder, .other: "another file replaced it after it was found"
      }
    #expect(findings.first?["detail"]?.contains(words) == true, "\(findings)")
  }

  /// One process ends so, too: the state must not remember what nobody has read.
  @Test(arguments: Change.allCases)
  func `with a state the run ends`(_ change: Change) throws {
    var play = StagePlay(day: day, flags: ["--state", "state"], parts: 1)
    play.limit = "exec timeout -s KILL 60 \"$@\""
    let sources = try play.stream("plan", nil)
    try make(change)
    let outcome = try play.run("map", sources.bytes())
    #expect(outcome.status == 70)
    #expect(outcome.errors.contains("\(plain) changed while it was read"), "\(outcome.errors)")
  }
}
