import SignatureBatch

/// A reader of hostile bytes.
///
/// A trap, a sanitizer's report, an error that is thrown, and a property that is false are
/// findings; libFuzzer then leaves the input in a file.
struct FuzzTarget: Sendable, CustomStringConvertible {
  /// Reads one input.
  typealias Run = ([UInt8]) throws -> Void

  /// The name on the command line.
  let name: String
  /// The longest input, in bytes.
  let limit: Int
  /// The number of mutations that the ordinary tests try.
  let mutations: Int
  /// The inputs to begin with: good ones, and some that were bad once.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Makes what all runs share.
  let prepare: @Sendable () throws -> Run

  var description: String { name }

  static let all = [
    record, initLog, cbor, attestation, receipt, signature, zstd, gzip, pipeline, schema, knownKeys,
    stateRows, segment, judges, tokenSearch, audit,
  ]
}

/// Ends the process, which is a finding, unless a property holds.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
  guard holds else { fail(text()) }
}

/// Ends the process, which is a finding.
func fail(_ text: String) -> Never { fatalError(text) }

/// Decisions and content taken from the front of an input. Behind its end, everything is 0.
struct FuzzBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns a number from 0 up to, but not including, `limit`, which is at most 65,536.
  mutating func below(_ limit: Int) -> Int {
    limit <= 256 ? Int(byte()) % limit : (Int(byte()) << 8 | Int(byte())) % limit
  }

  mutating func once(in count: Int) -> Bool { below(count) == 0 }

  /// Returns exactly `count` bytes.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return taken + [UInt8](repeating: 0, count: count - taken.count)
  }

  /// Returns all that is left.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
