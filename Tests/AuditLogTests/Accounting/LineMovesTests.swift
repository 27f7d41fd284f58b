import Testing

@testable import AuditLog

@Suite struct `Line moves` {
  @Test func `lines of a damaged copy are told as those of the whole one`() {
    var moves = LineMoves()
    for (from, to) in [(1, 1), (2, 2), (5, 9), (6, 10), (3, 12), (8, 20)] as [(UInt64, UInt64)] {
      moves.note(from, is: to)
    }
    moves.finish()
    #expect((0...9).map { moves.line($0) } == [0, 1, 2, 12, 4, 9, 10, 7, 20, 9])
    #expect(LineMoves().line(7) == 7 && moves.line(.max) == .max)
  }
}
