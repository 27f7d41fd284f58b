import TestSupport
import Testing

@testable import Files

struct ReplacingFileTests {
  private let scratch = made { try Scratch() }
  private var path: String { scratch.path + "/a" }

  @Test func `a file takes its place in one step`() throws {
    for text in ["one", "two"] {
      let file = try ReplacingFile(path: path, mode: 0o600)
      try file.append(Array(text.utf8).span)
      #expect(try scratch.names.contains(TemporaryName.partial("a")))
      try file.putInPlace()
      #expect(try scratch.names == ["a"] && scratch.text("a") == text)
    }
  }

  @Test func `what is not put in place is gone`() throws {
    try scratch.write("a", "former")
    do {
      let file = try ReplacingFile(path: path, mode: 0o600)
      try file.append([1].span)
    }
    #expect(try scratch.names == ["a"] && scratch.text("a") == "former")
  }

  @Test func `a name that is taken can be refused`() throws {
    try scratch.write("a", "former")
    let error = #expect(throws: AuditError.self) {
      let file = try ReplacingFile(path: path, mode: 0o600)
      try file.putInPlace(taken: .refused)
    }
    #expect(error?.isTaken == true)
    #expect(try scratch.names == ["a"] && scratch.text("a") == "former")
  }

  @Test(arguments: ["a", "x.y", ".", "-"])
  func `temporary names are told apart`(_ name: String) {
    let names = [
      TemporaryName.partial(name, pid: 1), TemporaryName.partial(name, pid: 2),
      TemporaryName.former(name, pid: 1), TemporaryName.shared(name), name,
    ]
    #expect(Set(names).count == names.count)
    #expect(!names.contains(where: TemporaryName.isSpill))
    #expect(TemporaryName.isSpill(TemporaryName.spillPrefix + "abc123"))
  }

  @Test(arguments: [
    ("a", ".", "a"), ("a/", ".", "a"), ("/a", "/", "a"), ("/a/b//", "/a", "b"), ("/", "/", ""),
    ("a/b", "a", "b"), ("", ".", ""),
  ])
  func `paths are split`(_ path: String, _ folder: String, _ last: String) {
    #expect(PathText.split(path) == (folder, last))
  }
}
