import Foundation

/// The sanitizer that `pipelines/test` says the tests run under.
package enum Sanitizer {
  /// What a sanitizer reads, to be passed on to the program.
  package static let environment = ProcessInfo.processInfo.environment.filter {
    $0.key.hasSuffix("SAN_OPTIONS")
  }

  /// Whether there is one: everything is slow then, and limits on files and memory hit the
  /// sanitizer itself.
  package static let isActive =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_SANITIZER"] != nil
}
