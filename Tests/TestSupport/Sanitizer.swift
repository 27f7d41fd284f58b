import Foundation

/// The sanitizer that `pipelines/test` says the tests run under.
package enum Sanitizer {
  /// Whether there is one: everything is slow then, and limits on files and memory hit the
  /// sanitizer itself.
  package static let isActive =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_SANITIZER"] != nil
}
