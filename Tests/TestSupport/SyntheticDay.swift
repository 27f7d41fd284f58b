package import AppAttest
import Foundation
import LogForge

/// A small clean day of a synthetic app's log, as single lines: three attestations and thirty
/// assertions without a finding.
package struct SyntheticDay: Sendable {
  /// The lines without their ends, in the order of time.
  package let lines: [String]
  /// The bytes of anchors and pipeline file by their names.
  private let settings: [String: [UInt8]]

  /// The apps of the synthetic authority, as in `pipeline.yaml`.
  package static let apps = [SyntheticApp.bank, .game].map { app in
    AppPolicy(
      id: app.id,
      environments: app.allowsDevelopment ? [.production, .development] : [.production],
      categories: Set(app.categories.map { ValidationCategory(rawValue: $0) }),
      bundleVersions: Set(app.bundleVersions))
  }

  /// The day that all tests share.
  package static let shared = made { try SyntheticDay(keys: 3, assertions: 30, seed: 11) }

  package init(keys: Int, assertions: Int, seed: UInt64) throws {
    let scratch = try Scratch()
    _ = try LogForge(ForgeOptions(keys: keys, assertions: assertions, files: 1, seed: seed))
      .write(to: scratch.path + "/day")
    var settings: [String: [UInt8]] = [:]
    let names = [
      "pipeline.yaml", "anchors/synthetic-attestation-root.pem",
      "anchors/synthetic-receipt-root.pem",
    ]
    for name in names { settings[name] = try scratch.bytes("day/" + name) }
    self.settings = settings
    let logs = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/day/logs")
    let content = try logs.sorted().flatMap { try Packed.unpack(scratch.bytes("day/logs/" + $0)) }
    lines = String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Writes `pipeline.yaml`, with `more` behind it, and the anchors it names.
  package func writeSettings(to scratch: Scratch, more: String = "") throws {
    for (name, bytes) in settings {
      try scratch.write(name, name == "pipeline.yaml" ? bytes + Array(more.utf8) : bytes)
    }
  }

  /// Makes a verifier with the anchors and some apps of the day.
  package func verifier(
    _ apps: [AppPolicy], receipts: ReceiptPolicy = .verify
  ) throws -> AttestationVerifier {
    func anchors(_ name: String) throws -> [[UInt8]] {
      try TrustAnchors.certificates(pem: settings["anchors/synthetic-\(name)-root.pem"] ?? [])
    }
    return try AttestationVerifier(
      apps: ConfiguredApps(apps), trustAnchors: anchors("attestation"),
      receiptAnchors: anchors("receipt"), receipts: receipts, attestationMaxAge: 86_400_000)
  }

  /// Returns the line at an index with some members changed. `nil` removes a member.
  package func line(_ index: Int, _ changes: [String: Any?]) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(lines[index].utf8))
    guard var record = object as? [String: Any] else { throw CocoaError(.coderInvalidValue) }
    for (name, value) in changes { record[name] = value }
    return String(
      decoding: try JSONSerialization.data(withJSONObject: record, options: .sortedKeys),
      as: UTF8.self)
  }

  /// Returns some lines as a log.
  package func log(_ range: Range<Int>? = nil) -> [UInt8] {
    Array(lines[range ?? 0..<lines.count].map { $0 + "\n" }.joined().utf8)
  }
}
