import Foundation
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Input plan` {
  /// Returns each source as the plan has it, its path without the folder of the test.
  private func seen(
    _ inputs: [String], in scratch: Scratch, follows: Bool = false
  ) -> [String] {
    InputPlan.sources(inputs, standardInputName: "-", follows: follows).map { source in
      let name = source.name.replacingOccurrences(of: scratch.path, with: "")
      return switch source.origin {
      case .file(path: source.name): name
      case .unreadable(let why): "\(name): \(why)"
      case .duplicate(let first): "\(name) = \(first)"
      default: "\(name) is \(source.origin)"
      }
    }
  }

  @Test func `a folder's files come in byte order of their path, nested ones in between`() throws {
    let scratch = try Scratch()
    for name in ["b", "a/z", "a.log", "a/b/c", "Z", "a-1", "é", ".hidden", "a/é", "10", "9"] {
      try scratch.write("logs/\(name)", name)
    }
    let names = [
      ".hidden", "10", "9", "Z", "a-1", "a.log", "a/b/c", "a/z", "a/é", "b", "é",
    ]
    #expect(seen([scratch.path + "/logs"], in: scratch) == names.map { "/logs/\($0)" })
    #expect(seen([scratch.path + "/logs/"], in: scratch) == names.map { "/logs/\($0)" })
  }

  @Test func `globs are expanded in byte order of path, folders among them too`() throws {
    let scratch = try Scratch()
    for name in ["a/x", "a.log", "a-1", "b.log", "c", "a/y/z"] {
      try scratch.write(name, name)
    }
    #expect(seen([scratch.path + "/*.log"], in: scratch) == ["/a.log", "/b.log"])
    #expect(seen([scratch.path + "/[bc]*"], in: scratch) == ["/b.log", "/c"])
    #expect(seen([scratch.path + "/?"], in: scratch) == ["/a/x", "/a/y/z", "/c"])
    #expect(
      seen([scratch.path + "/a*"], in: scratch) == ["/a-1", "/a.log", "/a/x", "/a/y/z"])
    #expect(
      seen([scratch.path + "/**/[ay]*"], in: scratch) == ["/a-1", "/a.log", "/a/x", "/a/y/z"])
    #expect(seen([scratch.path + "/*.gz"], in: scratch) == ["/*.gz: no file matches it"])
    #expect(seen([scratch.path + "/[b"], in: scratch) == ["/[b: no file matches it"])
  }

  @Test func `a file whose name looks like a glob is that file`() throws {
    let scratch = try Scratch()
    try scratch.write("a*", "star")
    try scratch.write("ab", "b")
    try scratch.write("[x]", "brackets")
    #expect(seen([scratch.path + "/a*"], in: scratch) == ["/a*"])
    #expect(seen([scratch.path + "/[x]"], in: scratch) == ["/[x]"])
  }

  @Test func `links to folders are followed once, loops are not`() throws {
    let scratch = try Scratch()
    try scratch.write("logs/a", "a")
    try scratch.write("logs/deep/b", "b")
    try scratch.write("elsewhere/c", "c")
    let links = [
      ("logs/deep/up", ".."), ("logs/deep/here", "."), ("logs/out", "../elsewhere"),
      ("elsewhere/back", "../logs"), ("logs/link", "a"),
    ]
    for (link, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path + "/" + link, withDestinationPath: target)
    }
    #expect(
      seen([scratch.path + "/logs"], in: scratch, follows: true) == [
        "/logs/a", "/logs/deep/b", "/logs/link = 0", "/logs/out/c",
      ])
    var notices: [String] = []
    let sources = InputPlan.sources([scratch.path + "/logs"], standardInputName: "-") {
      notices.append($0.replacing(scratch.path, with: ""))
    }
    #expect(sources.count == 3)
    #expect(notices == ["/logs/out leads out of /logs and is not followed; --follow follows it"])
  }

  @Test func `a link is judged by where it ends, not by how it is written`() throws {
    let scratch = try Scratch()
    try scratch.write("logs/a", "a")
    try scratch.write("logs-private/b", "b")
    let links = [
      ("logs/around", "../logs/./a"), ("logs/beside", "../logs-private/b"),
      ("logs/absolute", scratch.path + "/logs/a"), ("logs/through", "beside"), ("logs/root", "/"),
    ]
    for (link, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path + "/" + link, withDestinationPath: target)
    }
    for input in ["/logs", "/logs/", "/logs/../logs", "/logs/*", "/lo*"] {
      var notices: [String] = []
      let sources = InputPlan.sources([scratch.path + input], standardInputName: "-") {
        notices.append($0)
      }
      // Of a glob's folders, the one in which it begins counts.
      let isWide = input == "/lo*"
      #expect(sources.count == (isWide ? 6 : 3), "\(input)")
      #expect(notices.count == 1)
      #expect(notices.first?.contains(isWide ? "root leads" : "3 links") == true, "\(input)")
    }
  }
}
