import Files
import TestSupport
import Testing

struct LineSearchTests {
  private func line(_ text: String, holding mark: String) throws -> String? {
    let path = try Scratch().keep(text)
    var search = try LineSearch(path: path.file)
    return try search.line(holding: Array(mark.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `the first line that holds the mark is found, and nothing around it`() throws {
    #expect(try line("one\ntwo x\nthree x\n", holding: "x") == "two x")
    #expect(try line("x one\ntwo", holding: "x") == "x one")
    #expect(try line("one\ntwo x", holding: "x") == "two x")
    #expect(try line("x", holding: "x") == "x")
    #expect(try line("", holding: "x") == nil)
    #expect(try line("one\ntwo\n", holding: "x") == nil)
  }

  @Test func `a mark with a line feed in front stands at the beginning of a line`() throws {
    #expect(try line("head\na x,\nx,b\n", holding: "\nx,") == "x,b")
    #expect(try line("x,first\n", holding: "\nx,") == nil)
    #expect(try line("a\nx,", holding: "\nx,") == "x,")
  }

  @Test(arguments: [-3, -2, -1, 0, 1, 2])
  func `a mark is found where pieces meet`(shift: Int) throws {
    let length = (1 << 20) + shift
    let text =
      String(repeating: "a", count: length - 1) + "\nkey,b" + String(repeating: "c", count: 5)
    #expect(try line(text + "\nrest\n", holding: "\nkey,") == "key,bccccc")
    let long =
      String(repeating: "a", count: length) + "mark" + String(repeating: "b", count: 2 << 20)
    #expect(try line("first\n" + long + "\n", holding: "mark") == long)
  }

  @Test func `a file that is not there is an error with its path`() throws {
    let scratch = try Scratch()
    #expect(throws: AuditError("cannot read", "\(scratch.path)/none", 2)) {
      _ = try LineSearch(path: "\(scratch.path)/none")
    }
  }
}

extension Scratch {
  /// Writes a file, and returns its path with what keeps it there.
  fileprivate func keep(_ text: String) throws -> (file: String, scratch: Scratch) {
    (try write("file", text), self)
  }
}
