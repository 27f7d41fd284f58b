import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Skipped tokens` {
  /// Lines of a source as batches, by the shape of each line.
  private func batches(_ shapes: [String], each size: Int) -> [[SkippedShape]] {
    stride(from: 0, to: shapes.count, by: size).map { start in
      var batch: [SkippedShape] = []
      var places: [String: Int] = [:]
      for index in start..<min(start + size, shapes.count) {
        if let place = places[shapes[index]] {
          batch[place].count += 1
        } else {
          places[shapes[index]] = batch.count
          batch.append(
            SkippedShape(shape: Array(shapes[index].utf8), line: UInt64(index + 1), count: 1))
        }
      }
      return batch
    }
  }

  private func found(_ batches: [[SkippedShape]], order: [Int]) -> [SkippedShape]? {
    var settlement = SourceSettlement(limit: 0)
    for (count, index) in order.enumerated() {
      if count == order.count / 2 { settlement.end(batches: UInt64(batches.count)) }
      #expect(settlement.result == nil)
      let part = SourceSettlement.Part(shapes: batches[index])
      #expect(settlement.add(part, sequence: UInt64(index)).isEmpty)
    }
    return settlement.result?.shapes
  }

  @Test func `shapes come in the order of their first lines, whatever the order of batches`() {
    var random = Generator(5)
    let shapes = (0..<3000).map { _ in "/r\(random.below(40) * random.below(40))" }
    let all = batches(shapes, each: 3000)
    let expected = found(all, order: [0])
    #expect(expected?.count == 101)
    #expect(expected?.reduce(0) { $0 + $1.count } == 3000)
    #expect(
      expected?.first
        == SkippedShape(
          shape: Array(shapes[0].utf8), line: 1, count: UInt64(shapes.count { $0 == shapes[0] })))
    for size in [1, 7, 100, 2999] {
      let parts = batches(shapes, each: size)
      for _ in 0..<5 {
        #expect(found(parts, order: Array(parts.indices).shuffled(using: &random)) == expected)
      }
    }
  }

  @Test func `the hundred and first shape and all others are one`() throws {
    let shapes = (0..<105).map { "/r\($0)" } + ["/r0", "/r104"]
    let result = try #require(found(batches(shapes, each: 10), order: Array(0..<11)))
    #expect(result.count == 101)
    #expect(result[0].count == 2 && result[99].line == 100)
    let rest = result[100]
    #expect(rest.isOfOthers && rest.line == 101 && rest.count == 6)
    #expect(rest.detail.contains("more than 100 shapes"))
    #expect(result[0].detail.contains("of the route /r0 "))
  }

  @Test func `all shapes together tell the others from those of another night`() throws {
    func rest(_ shapes: [String]) throws -> SkippedShape {
      let result = try #require(found(batches(shapes, each: 100_000), order: [0]))
      return try #require(result.last { $0.isOfOthers })
    }
    let shapes = (0..<300).map { "/r\($0)" }
    let known = try rest(shapes)
    // No line's shape can be the same.
    #expect(known.shape.first == 0 && known.shape.count == 17)
    #expect(try rest(shapes.reversed() + shapes).shape == known.shape)
    #expect(try rest(shapes + ["/new"]).shape != known.shape)
    #expect(try rest(Array(shapes.dropLast())).shape != known.shape)
    // More than can be held are never those of before.
    let many = (0..<66_000).map { "/m\($0)" }
    #expect(try rest(many).shape == rest(many).shape)
    #expect(try rest(many).shape != rest(many + ["/more"]).shape)
  }

  // MARK: Rejects

  private func line(_ number: UInt64) -> RejectedLine {
    RejectedLine(
      reject: Reject(.badEncoding, "Bad."), position: Position(source: 0, line: number),
      byteOffset: 0, sha256: Digest256(), head: [], severity: number == 23 ? .high : .medium)
  }

  @Test(arguments: [0, 1, 10, 24, 25, 26])
  func `the first rejects are reported, and one more with the count of all others (records.R95)`(
    _ limit: Int
  ) throws {
    var random = Generator(7)
    for size in [1, 3, 7, 25] {
      let parts = stride(from: 1, through: 25, by: size).map { start in
        var part = SourceSettlement.Part()
        for number in start...min(25, start + size - 1) {
          let line = line(UInt64(number))
          part.rejects.add(limit: limit, line.severity) { line }
        }
        return part
      }
      var settlement = SourceSettlement(limit: limit)
      var reported: [UInt64] = []
      settlement.end(batches: UInt64(parts.count))
      for index in Array(parts.indices).shuffled(using: &random) {
        reported += settlement.add(parts[index], sequence: UInt64(index)).map(\.position.line)
      }
      #expect(reported == Array(1...25).prefix(limit).map(UInt64.init))
      let result = try #require(settlement.result)
      #expect(result.further?.0.position.line == (limit < 25 ? UInt64(limit + 1) : nil))
      #expect(result.further?.1 == (limit < 25 ? UInt64(25 - limit) : nil))
      #expect(result.further?.0.severity == (limit < 23 ? .high : limit < 25 ? .medium : nil))
    }
  }
}
