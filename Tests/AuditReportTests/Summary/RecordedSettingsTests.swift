import AppAttest
import AuditEngine
import Foundation
import Testing

@testable import AuditReport

struct RecordedSettingsTests {
  private func read(_ text: String) throws -> RecordedSettings {
    try JSONDecoder().decode(RecordedSettings.self, from: Data(text.utf8))
  }

  private func text(_ settings: RecordedSettings) -> String {
    var rows = RowBuffer()
    settings.tree.write(to: &rows)
    return rows.text
  }

  private static func settings(_ detection: DetectionPolicy) -> RecordedSettings {
    var configuration = AuditConfiguration(
      inputs: [],
      apps: [
        AppPolicy(
          id: "A.b", codeHashes: [CodeHash([UInt8](repeating: 7, count: 20).span)],
          requires: [.codeHash])
      ], trustAnchors: [[1]], receiptAnchors: [[2]],
      limits: AuditLimits(memory: 1 << 30, jobs: 1, tempDirectory: "/tmp"))
    configuration.detection = detection
    configuration.macOSAccessControl = .ignore
    return RecordedSettings(configuration, folder: "/", schemaText: nil, keys: nil, state: nil)
  }

  @Test func `what is kept is read again, whatever the detectors were told`() throws {
    var other = DetectionPolicy()
    other.reorderTolerance = 1
    other.retryTolerance = 1500
    other.rejectedRetry = .max
    other.replayScope = .exact
    other.counterGap = .max
    other.challengesRequired = true
    other.challengeTTL = 0
    for detection in [DetectionPolicy(), other] {
      let settings = Self.settings(detection)
      #expect(try read(text(settings)) == settings)
    }
  }

  @Test func `every setting of the detectors is among the members`() {
    let properties = Mirror(reflecting: DetectionPolicy()).children.compactMap(\.label)
    #expect(properties.count == DetectionPolicy.members.count)
    for member in DetectionPolicy.members {
      #expect(properties.contains { $0.hasPrefix(member.name) }, "\(member.name)")
    }
  }

  @Test func `a page shows durations, switches and choices in words`() {
    var detection = DetectionPolicy()
    detection.retryTolerance = 1500
    let listed = Self.settings(detection).listed.map { "\($0.name): \($0.value)" }
    #expect(listed.contains("reorderTolerance: 30 s") && listed.contains("retryTolerance: 1500 ms"))
    #expect(listed.contains("counterGap: off") && listed.contains("challengeTTL: not set"))
    #expect(listed.contains("challenges: optional") && listed.first == "app: A.b (production)")
  }

  @Test func `members that are missing or of another kind leave the default`() throws {
    var object = try #require(
      JSONSerialization.jsonObject(with: Data(text(Self.settings(DetectionPolicy())).utf8))
        as? [String: Any])
    object["counterGap"] = "many"
    object["replayScope"] = "everywhere"
    object["rejectedRetry"] = nil
    let data = try JSONSerialization.data(withJSONObject: object)
    let settings = try JSONDecoder().decode(RecordedSettings.self, from: data)
    #expect(settings.detection == DetectionPolicy())
  }

  @Test(arguments: ["{}", "[]", "null", "{\"folder\":1}"])
  func `other JSON is refused`(text: String) {
    #expect(throws: (any Error).self) { try read(text) }
  }
}
