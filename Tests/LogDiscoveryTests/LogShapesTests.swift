import Testing

@testable import LogDiscovery

@Suite struct `Shapes of lines` {
  private static func shapes(_ lines: [String], tokens: Set<Int>) -> [[Int]] {
    LogShapes(LogSample(of: lines), tokenLines: tokens).lines
  }

  @Test func `lines with much the same members are of one shape`() {
    let lines = [
      #"{"time":1,"keyId":2,"token":3,"challenge":4}"#,
      #"{"time":1,"keyId":2,"token":3,"payload":4}"#,
      #"{"time":1,"challenge":2}"#, #"{"time":1,"keyId":2,"token":3,"payload":4,"subject":5}"#,
    ]
    #expect(Self.shapes(lines, tokens: [0, 1, 3]) == [[0, 1, 2, 3]])
  }

  @Test func `others are shapes of their own, where tokens stand in them`() {
    let a = #"{"time":1,"keyId":2,"token":3}"#
    let b = #"{"ts":1,"request":{"k":1},"response":{}}"#
    let c = #"{"level":"info","message":"x"}"#
    #expect(
      Self.shapes([a, b, c, b, a, c, a], tokens: [0, 1, 3, 4, 6]) == [[0, 2, 4, 5, 6], [1, 3]])
    #expect(Self.shapes([b, a, b, b], tokens: [0, 1, 2, 3]) == [[0, 1, 2, 3]])
    #expect(Self.shapes([c, c], tokens: []) == [[0, 1]])
    #expect(Self.shapes([], tokens: []) == [[]])
  }

  @Test func `nobody's mischief makes a shape`() {
    let own = (0..<400).map { #"{"time":\#($0),"keyId":2,"token":3}"# }
    let odd = (0..<3).map { #"{"x\#($0)":1,"y\#($0)":2}"# }
    let shapes = Self.shapes(own + odd, tokens: Set(0..<403))
    #expect(shapes == [Array(0..<403)])
    let many = (0..<10_000).map { #"{"a\#($0)":1,"b\#($0)":2}"# }
    #expect(Self.shapes(many + own, tokens: Set(10_000..<10_400)).count == 1)
  }
}
