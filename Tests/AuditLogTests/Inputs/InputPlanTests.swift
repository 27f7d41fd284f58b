import Foundation
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Input plan` {
  private func plan(
    _ inputs: [String], name: String = "stdin", follows: Bool = false
  ) -> [LogSource] {
    InputPlan.sources(inputs, standardInputName: name, follows: follows)
  }

  /// Returns each source as the plan has it, its path without the folder of the test.
  private func seen(
    _ inputs: [String], in scratch: Scratch, follows: Bool = false
  ) -> [String] {
    plan(inputs, follows: follows).map { source in
      let name = source.name.replacingOccurrences(of: scratch.path, with: "")
      return switch source.origin {
      case .file(let path): path == source.name ? name : "\(name) is \(path)"
      case .standardInput: "\(name): standard input"
      case .unreadable(let why): "\(name): \(why)"
      case .duplicate(let first): "\(name) = \(first)"
      case .known, .waiting: "\(name): not what a plan says"
      }
    }
  }

  @Test func `files come in the order given`() throws {
    let scratch = try Scratch()
    let b = try scratch.write("b", "b")
    let a = try scratch.write("a", "aa")
    let sources = plan([b, a])
    #expect(sources.map(\.name) == [b, a])
    #expect(sources.map(\.origin) == [.file(path: b), .file(path: a)])
    #expect(sources.map(\.size) == [1, 2])
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

  @Test func `what is not there is unreadable and says why`() throws {
    let scratch = try Scratch()
    try scratch.write("file", "x")
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/empty/inner", withIntermediateDirectories: true)
    #expect(
      seen(
        [scratch.path + "/missing", scratch.path + "/file/below", scratch.path + "/empty", ""],
        in: scratch) == [
          "/missing: no such file or directory", "/file/below: not a directory",
          "/empty: the folder contains no file", ": no such file or directory",
        ])
  }

  @Test func `links that lead nowhere are unreadable, not passed over`() throws {
    let scratch = try Scratch()
    try scratch.write("logs/a", "a")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/logs/dangling", withDestinationPath: "nowhere")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/logs/self", withDestinationPath: "self")
    #expect(
      seen([scratch.path + "/logs"], in: scratch) == [
        "/logs/a", "/logs/dangling: no such file or directory",
        "/logs/self: too many levels of symbolic links",
      ])
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

  @Test func `what is no file in a folder is named, and never waited for`() throws {
    let scratch = try Scratch()
    try scratch.write("logs/a", "a")
    #expect(unsafe mkfifo(scratch.path + "/logs/fifo", 0o600) == 0)
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/pipes", withIntermediateDirectories: true)
    #expect(unsafe mkfifo(scratch.path + "/pipes/fifo", 0o600) == 0)
    #expect(
      seen([scratch.path + "/logs", scratch.path + "/pipes/*"], in: scratch) == [
        "/logs/a", "/logs/fifo: it is a FIFO, which is read only where it is named itself",
        "/pipes/fifo: it is a FIFO, which is read only where it is named itself",
      ])
    // Given by name, it is an input.
    let fifo = plan([scratch.path + "/pipes/fifo"])
    #expect(fifo.map(\.origin) == [.file(path: scratch.path + "/pipes/fifo")])
    #expect(fifo.map(\.size) == [0])
  }

  // MARK: Duplicates

  @Test func `a file that is reached twice by any path is read once`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("logs/a", "content")
    try FileManager.default.linkItem(atPath: path, toPath: scratch.path + "/hard")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/soft", withDestinationPath: "logs/a")
    #expect(
      seen(
        [
          path, scratch.path + "/logs", scratch.path + "/hard", scratch.path + "/soft",
          scratch.path + "/logs/../logs/./a", scratch.path + "/h*",
        ], in: scratch) == [
          "/logs/a", "/logs/a = 0", "/hard = 0", "/soft = 0", "/logs/../logs/./a = 0", "/hard = 0",
        ])
  }

  @Test func `unreadable sources are no duplicates`() throws {
    let scratch = try Scratch()
    let missing = scratch.path + "/missing"
    #expect(
      seen([missing, missing], in: scratch)
        == Array(repeating: "/missing: no such file or directory", count: 2))
  }

  // MARK: Standard input

  @Test func `a hyphen is standard input under the name it is given`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("a", "a")
    let sources = plan(["-", path], name: "gateway")
    #expect(sources.map(\.name) == ["gateway", path])
    #expect(sources.map(\.origin) == [.standardInput, .file(path: path)])
    #expect(plan([scratch.path + "/-"]).map(\.origin) != [.standardInput])
    #expect(plan([]).isEmpty)
  }
}
