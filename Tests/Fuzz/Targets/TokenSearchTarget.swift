import AppAttest
import AuditLog
import Foundation

/// A line that no rule fits. The search for a token in it depends on its bytes alone, and finds a
/// token of the line in the line's base64 as well.
struct TokenSearchTarget: FuzzTarget {
  static let name = "token-search"
  static let limit = 4096

  /// Two searches: one of them sees nothing but the lines themselves.
  private let searches = (
    TokenSearch(AppAttestSniffer.tokenLength), TokenSearch(AppAttestSniffer.tokenLength)
  )

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
    guard holds, bytes.count >= 96 else { return }
    // Three levels are decoded, of which the line can need all.
    _ = holdsToken(body, searches.1, filler: 0)
  }

  /// Returns a line whose body is `bytes` in base64.
  private static func wrapped(_ bytes: [UInt8]) -> [UInt8] {
    Array(#"{"path":"/v2/attest","isBase64Encoded":true,"body":""#.utf8)
      + Array(Data(bytes).base64EncodedData()) + Array(#""}"#.utf8)
  }

  private func holdsToken(_ line: [UInt8], _ search: TokenSearch, filler: UInt8) -> Bool {
    unsafe withPadding(line, filler) { unsafe search.finds($0) }
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
