import AppAttest
import TestSupport
import Testing

@testable import AuditLog

/// Lines longer than the limit are searched in pieces.
@Suite struct `Long line search` {
  private let bytes = TokenText.assertion(3)

  private func findsInPieces(_ line: String, of size: Int) -> Bool {
    let long = LongLineSearch(AppAttestSniffer.tokenFront)
    let bytes = Array(line.utf8)
    long.begin()
    for start in stride(from: 0, to: bytes.count, by: size) {
      unsafe bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
        unsafe long.append($0)
      }
    }
    long.end()
    return long.hasToken
  }

  @Test(arguments: [1, 2, 7, 100, 1000])
  func `a token that two pieces share is found`(_ size: Int) {
    let spaces = String(repeating: " ", count: 50)
    #expect(findsInPieces("{\"x\":\"\(TokenText.base64(bytes))\"}\(spaces)", of: size))
    #expect(!findsInPieces("{\"x\":\"\(sampleKey)\"}\(spaces)", of: size))
  }

  @Test(
    arguments: [1, 6, 11, 40], ["%0A", "\\n", "\\u000a", "\\\\u000d\\\\n", "\\u0001", "!", "\r\n"])
  func
    `a token is found however far apart its characters are (records.R33, records.R34, records.R52)`(
      _ place: Int, _ filler: String
    )
  {
    func spread(_ text: String) -> String {
      let between = String(repeating: filler, count: 70_001 / filler.utf8.count)
      return "{\"a\":1,\"x\":\"t=\(text.prefix(place))\(between)\(text.dropFirst(place))\"}"
    }
    let text = TokenText.base64(bytes)
    for (text, isToken) in [(text, true), ("f" + text.dropFirst(), false)] {
      #expect(findsInPieces(spread(text), of: 1 << 16) == isToken)
      #expect(
        findsInPieces("{\"x\":\"\(TokenText.base64(Array(spread(text).utf8)))\"}", of: 1 << 16)
          == isToken)
    }
  }

  @Test(arguments: [2, 4, 5, 8, 11])
  func `an array of numbers is found however far apart these are (records.R52, records.R82)`(
    _ count: Int
  ) {
    let text = TokenText.numbers(bytes)
    let spaces = String(repeating: " ", count: 1 << 18)
    // Spaces after a comma, and before a number that two windows share.
    #expect(findsInPieces("\(text.prefix(5))\(spaces)\(text.dropFirst(5))", of: 1 << 16))
    #expect(findsInPieces("[\(spaces.dropLast(count))\(text.dropFirst())", of: 1 << 16))
  }

  @Test
  func
    `a token is found although more is passed over in it than is searched at a time (records.R34, records.R52)`()
  {
    let text = TokenText.base64(bytes)
    let passed = String(repeating: "!?", count: 5 << 19)
    let line = "{\"x\":\"\(passed) \(text.prefix(30))\(passed)\(text.dropFirst(30))\"}"
    #expect(findsInPieces(line, of: 1 << 16))
  }
}
