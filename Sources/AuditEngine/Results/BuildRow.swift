package import AppAttest
internal import Basics

/// A build of an app, as Apple's system signed it (`reports.R64`). Empty and nil values are not known.
package struct Build: Sendable, Hashable {
  package var appID: String
  package var platform: KeyPlatform?
  package var category: ValidationCategory?
  package var bundleVersion: String
  package var codeHash: [UInt8]

  package init(
    appID: String, platform: KeyPlatform? = nil, category: ValidationCategory? = nil,
    bundleVersion: String = "", codeHash: [UInt8] = []
  ) {
    self.appID = appID
    self.platform = platform
    self.category = category
    self.bundleVersion = bundleVersion
    self.codeHash = codeHash
  }

  /// The values as `builds.csv` has them.
  package var texts: [String] {
    [
      appID, platform?.name ?? "", category?.name ?? "", bundleVersion, Hex.text(codeHash),
    ]
  }

  /// The digest by which runs know it again.
  package var digest: Digest256 {
    var bytes: [UInt8] = []
    for text in texts {
      bytes.append(number: UInt32(text.utf8.count))
      bytes += text.utf8
    }
    return .sha256(bytes.span)
  }
}

/// One row of `builds.csv` (`reports.R65`): the verified records of one build.
package struct BuildRow: Sendable, Equatable {
  /// The most builds of a report.
  package static let limit = 100_000

  package var build: Build
  package var firstSeen = Int64.max
  package var lastSeen = Int64.min
  package var keys: UInt64 = 0
  package var subjects: UInt64 = 0
  package var attestations: UInt64 = 0
  package var assertions: UInt64 = 0
  package var accepted: UInt64 = 0
  package var rejected: UInt64 = 0
  package var findings: UInt64 = 0
  package var worstSeverity: Severity?

  package init(_ build: Build) { self.build = build }
}
