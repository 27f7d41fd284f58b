import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// The rows of `Tests/Cases/input-plans.txt`: what lies in a folder, and of inputs behind `=>` each source as the plan has
/// it and each notice; behind `+` links are followed.
@Suite struct `Input plan` {
  /// Makes what a line names: files; a link `->` a target, with `@` for the scratch folder; a file that is `=` another one;
  /// a `folder`; or a `fifo`.
  private static func make(_ line: Substring, in scratch: Scratch) throws {
    let words = line.split(separator: " ").map(String.init)
    let path = scratch.path + "/" + words[0]
    switch words.count > 1 ? words[1] : "" {
    case "->":
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: words[2].replacing("@", with: scratch.path))
    case "=":
      try FileManager.default.linkItem(atPath: scratch.path + "/" + words[2], toPath: path)
    case "folder":
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    case "fifo": #expect(unsafe mkfifo(path, 0o600) == 0)
    default: for name in words { try scratch.write(name, name) }
    }
  }

  private static func shown(_ source: LogSource) -> String {
    switch source.origin {
    case .file(let path): path == source.name ? path : "\(source.name) is \(path)"
    case .standardInput: "\(source.name): standard input"
    case .unreadable(let why): "\(source.name): \(why)"
    case .duplicate(let first): "\(source.name) = \(first)"
    case .known, .waiting: "\(source.name): not what a plan says"
    }
  }

  @Test(arguments: TextCase.read("input-plans"))
  func `inputs become sources (detection.R3)`(_ one: TextCase) throws {
    let scratch = try Scratch()
    for line in one.lines { try Self.make(line, in: scratch) }
    let parts = one.message.components(separatedBy: " => ")
    let follows = parts[0].hasPrefix("+")
    let inputs = parts[0].dropFirst(follows ? 1 : 0).split(separator: " ").map { input in
      input.hasPrefix("/") ? scratch.path + input : input == "''" ? "" : String(input)
    }
    var notices: [String] = []
    let sources = InputPlan.sources(inputs, standardInputName: "gateway", follows: follows) {
      notices.append($0)
    }
    let seen = (sources.map(Self.shown) + notices).joined(separator: "; ")
    #expect(seen.replacing(scratch.path, with: "") == parts.last)
  }

  @Test func `what is known of a file's size is kept`() throws {
    let scratch = try Scratch()
    #expect(unsafe mkfifo(scratch.path + "/fifo", 0o600) == 0)
    let paths = [try scratch.write("b", "b"), try scratch.write("a", "aa"), scratch.path + "/fifo"]
    #expect(InputPlan.sources(paths, standardInputName: "").map(\.size) == [1, 2, 0])
  }
}
