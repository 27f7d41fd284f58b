import Testing

@testable import LogForge

struct DamagedTextTests {
  private let text = Array("one\ntwo\nthree\n".utf8)

  @Test func `damage between lines cuts none`() {
    var left = DamagedText()
    left.read(text[..<4], begins: true)
    left.damage()
    left.read(text[8...], begins: true)
    #expect(left.lines == 2)
    #expect(left.cutLines == [])
  }

  @Test func `damage within lines leaves a head and a tail`() {
    var left = DamagedText()
    left.read(text[..<6], begins: true)
    left.damage()
    left.read(text[10...], begins: false)
    #expect(left.lines == 3)
    #expect(left.cutLines == [2, 3])
  }

  @Test func `a line that goes on in the next frame is whole`() {
    var left = DamagedText()
    left.read(text[..<6], begins: true)
    left.read(text[6...], begins: false)
    left.damage()
    #expect(left.lines == 3)
    #expect(left.cutLines == [])
  }

  @Test func `a tail that is cut again is one line`() {
    var left = DamagedText()
    left.read(text[..<1], begins: true)
    left.damage()
    left.read(text[9..<11], begins: false)
    left.damage()
    #expect(left.lines == 2)
    #expect(left.cutLines == [1, 2])
  }
}
