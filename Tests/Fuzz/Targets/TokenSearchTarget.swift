import AuditLog
import CSimdjson
import Foundation

/// A line that no rule fits. The search for a token in it depends on its bytes alone, and finds a
/// token of the line in the line's base64 as well.
struct TokenSearchTarget: FuzzTarget {
  static let name = "token-search"
  static let limit = 4096

  /// Two searches: one of them sees nothing but the lines themselves.
  private let searches = (TokenSearch(), TokenSearch())

  /// Returns lines with tokens, as they are, as strings of JSON, and in base64.
  static func seeds() throws -> [[UInt8]] {
    let lines = try FuzzSeeds.schemas.flatMap { try FuzzSeeds.lines(of: $0, most: 2) }
    return lines.flatMap { line in
      [line, (try? JSONEncoder().encode([String(decoding: line, as: UTF8.self)])).map(Array.init)]
        .compactMap(\.self) + [wrapped(line)]
    }
  }

  func run(_ bytes: [UInt8]) {
    let holds = holdsToken(bytes, searches.0, filler: 0)
    _ = holdsToken(bytes.reversed(), searches.0, filler: 0x41)
    require(
      holdsToken(bytes, searches.0, filler: 0x22) == holds, "depends on what was read before")
    require(holdsToken(bytes, searches.1, filler: 0x6F) == holds, "depends on what stands behind")
    let body = Self.wrapped(bytes)
    guard stands(bytes), body.count >= 256 else { return }
    require(holds, "a token that stands in the line")
    require(holdsToken(body, searches.1, filler: 0), "a token in a body of base64")
  }

  /// Returns a line whose body is `bytes` in base64.
  private static func wrapped(_ bytes: [UInt8]) -> [UInt8] {
    Array(#"{"path":"/v2/attest","isBase64Encoded":true,"body":""#.utf8)
      + Array(Data(bytes).base64EncodedData()) + Array(#""}"#.utf8)
  }

  private func holdsToken(_ line: [UInt8], _ search: TokenSearch, filler: UInt8) -> Bool {
    unsafe withPadding(line, filler) { unsafe search.holdsToken($0) }
  }

  /// Returns true if a token stands in the line as it is, neither escaped nor in base64 twice.
  private func stands(_ line: [UInt8]) -> Bool {
    unsafe withPadding(line, 0) { text in
      guard let start = text.baseAddress else { return false }
      return unsafe attest_search(start, text.count) == ATTEST_SEARCH_TOKEN
    }
  }

  private func withPadding<Result>(
    _ line: [UInt8], _ filler: UInt8, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let padded = line + [UInt8](repeating: filler, count: LineBatch.padding)
    return unsafe padded.withUnsafeBufferPointer { all in
      unsafe body(UnsafeBufferPointer(rebasing: all[..<line.count]))
    }
  }
}
