import Foundation

/// The sanitizer that the tests run under, as `pipelines/test` names it.
package enum Sanitizer {
  /// Whether the tests run under a sanitizer. Everything is slow then, and limits on files and
  /// memory apply to the sanitizer itself.
  package static let isActive =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_SANITIZER"] != nil
}
