/// The reason why compressing or decompressing could not go on, never ``StreamDamage``.
package struct CompressionError: Error, Equatable {
  package enum Code: Sendable, Equatable {
    case outOfMemory
    /// A library refused what it was asked to do; the number is its own.
    case library(Int)
  }
  package var code: Code
  /// One line for people, without a full stop.
  package var context: String

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }
}
