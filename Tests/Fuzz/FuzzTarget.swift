/// Something that takes hostile bytes.
///
/// A trap, a sanitizer's report, an error that is thrown, and a property that is false are
/// findings; libFuzzer then leaves the input in a file.
protocol FuzzTarget {
  /// The name on the command line.
  static var name: String { get }
  /// The longest input, in bytes.
  static var limit: Int { get }
  /// The inputs to begin with: good ones, and some that were bad once.
  static func seeds() throws -> [[UInt8]]
  init() throws
  /// Runs with an input.
  func run(_ bytes: [UInt8]) throws
}

/// Ends the process, which is a finding, unless a property holds.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
  guard holds else { fail(text()) }
}

/// Ends the process, which is a finding.
func fail(_ text: String) -> Never { fatalError(text) }
