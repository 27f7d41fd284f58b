import Files
import FindingCodes

/// The reason why logs could not be forged.
package struct ForgeError: Error, Equatable, CustomStringConvertible {
  package enum Code: Equatable, Sendable {
    /// A file or folder could not be made or written. The number is `errno`.
    case file(Int32)
    /// An option makes no sense.
    case usage
  }

  package let code: Code
  /// The path or other subject of the error.
  package let context: String

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  package var description: String {
    switch code {
    case .file(let number): AuditError("cannot write", context, number).context
    case .usage: context
    }
  }
}
