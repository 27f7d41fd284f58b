import Testing

@testable import AuditLog

/// The first bytes of files of which damage left no line.
@Suite struct `Fronts of files` {
  /// Bytes of which no two pieces are the same.
  private let file = (0..<1000).map { UInt8(truncatingIfNeeded: $0 / 4 &* 7 &+ $0) }

  @Test func `more than half of the pieces tell the whole file`() {
    for (damaged, isFront) in [(0, true), (1, true), (2, false), (4, false)] {
      var front = Array(file.prefix(256))
      for piece in 0..<damaged { front[piece * 64] ^= 1 }
      for isHere in [true, false] {
        #expect(FileFront(front).isFront(of: file, isHere: isHere) == isFront, "\(damaged)")
      }
    }
  }

  @Test func `a few bytes tell a file at the same path alone`() {
    for (count, isFront) in [(1, false), (64, false), (65, true)] {
      let front = FileFront(Array(file.prefix(count)))
      #expect(front.isFront(of: file, isHere: true))
      #expect(front.isFront(of: file, isHere: false) == isFront, "\(count)")
    }
    #expect(!FileFront([]).isFront(of: file, isHere: true))
  }

  @Test func `a shorter file is not the whole of it`() {
    let front = FileFront(Array(file.prefix(256)))
    #expect(front.isFront(of: Array(file.prefix(256)), isHere: true))
    #expect(!front.isFront(of: Array(file.prefix(255)), isHere: true))
  }
}
