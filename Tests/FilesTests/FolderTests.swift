import Foundation
import TestSupport
import Testing

@testable import Files

struct FolderTests {
  private let scratch = made { try Scratch() }

  /// The same folder, looked up at each call, and opened.
  private var folders: [Folder] {
    get throws { try [Folder(path: scratch.path), Folder(opening: scratch.path)] }
  }

  @Test func `a folder lists, opens, creates, renames and removes`() throws {
    for folder in try folders {
      #expect(try folder.names() == [])
      let file = try folder.create("b")
      try file.append([1, 2, 3].span)
      try folder.makeMissing("a")
      try folder.makeMissing("a")
      #expect(try folder.names() == ["a", "b"] && folder.names(in: "a") == [])
      #expect(try folder.status("b")?.size == 3 && folder.status("a")?.kind == .folder)
      try folder.rename("b", to: "c")
      #expect(try folder.open("c")?.bytes(limit: 2) == [1, 2])
      #expect(try folder.open("b") == nil && !folder.has("b"))
      try folder.flush()
      try folder.remove("c")
      try folder.remove("c")
      try folder.removeTree("a")
      #expect(try folder.names() == [])
    }
  }

  @Test func `what has a name is not renamed over where that is refused`() throws {
    for folder in try folders {
      try scratch.write("a", "a")
      try scratch.write("b", "b")
      #expect(error { try folder.rename("a", to: "b", taken: .refused) }?.number == EEXIST)
      try folder.rename("a", to: "b", taken: .exchanged)
      #expect(try scratch.text("a") == "b" && scratch.text("b") == "a")
      try folder.rename("a", to: "b")
      #expect(try scratch.names == ["b"] && scratch.text("b") == "b")
      #expect(error { _ = try folder.create("b", existing: .refused) }?.number == EEXIST)
      try folder.remove("b")
    }
  }

  @Test func `links are neither followed nor emptied`() throws {
    try scratch.write("precious/file", "precious")
    for folder in try folders {
      try scratch.makeFolder("tree")
      try scratch.link("link", to: "precious")
      try scratch.link("tree/inner", to: "../precious")
      #expect(error { _ = try folder.create("link") }?.number == ELOOP)
      let opened = error { _ = try Folder("link", in: folder, shown: "x") }
      #expect(opened?.context.hasPrefix("cannot open x: ") == true)
      #expect(try folder.status("link")?.kind == .link)
      try folder.removeTree("tree")
      try folder.removeTree("link")
      #expect(try scratch.names == ["precious"] && scratch.text("precious/file") == "precious")
    }
  }

  @Test func `names that are no UTF-8 are removed too`() throws {
    try scratch.makeFolder("tree")
    let path = Array((scratch.path + "/tree/").utf8) + [0xFF, 0xFE]
    let descriptor = unsafe open(
      path.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    try Folder(path: scratch.path).removeTree("tree")
    #expect(try scratch.names == [])
  }

  @Test func `a file without a name leaves none`() throws {
    let folder = Folder(path: scratch.path)
    let file = try folder.createNameless()
    try file.append([7].span)
    #expect(try scratch.names == [] && file.bytes(limit: 9) == [7])
  }

  @Test func `a folder that is not there has no names, and an error with its path`() throws {
    let folder = Folder(path: scratch.path + "/none")
    #expect(try folder.names() == nil)
    #expect(
      error { _ = try folder.create("a") }?.context
        == "cannot create \(scratch.path)/none/a: no such file or directory")
    #expect(error { _ = try Folder(opening: folder.path) }?.number == ENOENT)
  }

  @Test func `one open file at a time holds a lock`() throws {
    let folder = Folder(path: scratch.path)
    let first = try folder.create("lock", existing: .kept)
    let second = try folder.create("lock", existing: .kept)
    #expect(try first.lock() && first.lock() && !second.lock())
    first.unlock()
    #expect(try second.lock())
  }
}
