internal import AppAttest
package import AuditEngine
internal import Basics

/// The requests on which a candidate decides otherwise, counted in groups of bounded number.
package struct SimulationGroups: Sendable {
  /// The most groups of one kind. Requests of further groups are only in the totals.
  static let limit = 10_000
  static let crowds = 5
  static let lines = 3
  static let unknown = "unknown"

  enum Kind: String, CaseIterable {
    case reason, build, osVersion, platform, hour, day
    /// Reasons, platform, system and build together, only of honest users who are refused.
    case crowd

    /// Whether groups are listed by time, and not by size.
    var isTime: Bool { self == .hour || self == .day }
  }

  package struct Group: Sendable {
    package fileprivate(set) var requests: UInt64 = 0
    package fileprivate(set) var keys: UInt64 = 0
    package fileprivate(set) var subjects: UInt64 = 0
    /// The first lines, as `FILE:LINE`.
    fileprivate(set) var lines: [String] = []
    private var lastKey: Digest256?
    private var lastSubject: String?

    /// Takes a request. Requests come in order of their keys.
    fileprivate mutating func add(_ request: SimulatedRequest, _ place: String) {
      requests += 1
      if lines.count < SimulationGroups.lines { lines.append(place) }
      guard let key = request.keyID, key != lastKey else { return }
      lastKey = key
      keys += 1
    }

    /// Takes the subject of a request. Equal subjects come one after the other.
    fileprivate mutating func add(subject: String) {
      guard subject != lastSubject else { return }
      lastSubject = subject
      subjects += 1
    }
  }

  private struct Part {
    var total = Group()
    var groups = Kind.allCases.map { _ in Top<String, Group>(limit: SimulationGroups.limit) }
  }

  private var parts = SimulatedRequest.Change.allCases.map { _ in Part() }

  /// Takes a request, in order of the keys.
  mutating func add(_ reported: ReportedRequest) {
    let request = reported.request
    let place = "\(reported.source):\(request.position.line)"
    update(request) { $0.add(request, place) }
  }

  /// Takes a request again, in an order in which equal subjects come one after the other.
  mutating func add(subjectOf request: SimulatedRequest) {
    update(request) { $0.add(subject: request.subject) }
  }

  private mutating func update(_ request: SimulatedRequest, _ change: (inout Group) -> Void) {
    let part = Int(request.change.rawValue)
    change(&parts[part].total)
    for (index, kind) in Kind.allCases.enumerated() {
      for value in Self.values(kind, request) {
        parts[part].groups[index].update(value, from: Group(), change)
      }
    }
  }

  private static func values(_ kind: Kind, _ request: SimulatedRequest) -> [String] {
    func known(_ text: String?) -> String { text.flatMap { $0.isEmpty ? nil : $0 } ?? unknown }
    let reasons = request.reasons.map(\.name)
    let version = [request.appID, request.bundleVersion, request.category?.name ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " ")
    switch kind {
    case .reason: return reasons.isEmpty ? ["none"] : reasons
    case .build:
      let hash = Hex.text(request.codeHash).prefix(16)
      return [known(hash.isEmpty ? version : "\(version) \(hash)")]
    case .osVersion: return [known(request.osVersion)]
    case .platform: return [known(request.platform?.name)]
    case .hour, .day:
      guard let time = request.time else { return [unknown] }
      return [String(CivilTime(milliseconds: time).text.prefix(kind == .hour ? 13 : 10))]
    case .crowd:
      guard request.change == .refused, request.isHonest else { return [] }
      let system = [request.platform?.name ?? "", request.osVersion].filter { !$0.isEmpty }
      return [
        [reasons.joined(separator: ";"), known(system.joined(separator: " ")), known(version)]
          .joined(separator: " · ")
      ]
    }
  }

  package func total(_ change: SimulatedRequest.Change) -> Group {
    parts[Int(change.rawValue)].total
  }

  /// Returns the groups of a kind: hours and days in order, others by the number of keys.
  func list(
    _ kind: Kind, _ change: SimulatedRequest.Change, most: Int = SimulationGroups.limit
  ) -> [(key: String, value: Group)] {
    guard let index = Kind.allCases.firstIndex(of: kind) else { return [] }
    return parts[Int(change.rawValue)].groups[index].first(most) { a, b in
      let (x, y) = (a.value, b.value)
      if kind.isTime || (x.keys, x.requests) == (y.keys, y.requests) { return a.key < b.key }
      return (x.keys, x.requests) > (y.keys, y.requests)
    }
  }

  /// The largest groups of honest users whom the candidate would refuse, with a name and the counts.
  package var largestCrowds: [(key: String, value: Group)] {
    list(.crowd, .refused, most: Self.crowds)
  }
}
