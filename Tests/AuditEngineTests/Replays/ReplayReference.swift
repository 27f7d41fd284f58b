import AppAttest
import AuditLog
import TestSupport

@testable import AuditEngine

/// An event of one clientDataHash.
struct ReplaySample: Equatable {
  var kind = RecordKind.assertion
  var key: UInt8 = 1
  var identity: UInt8 = 1
  var time: Int64 = 0
  var source: UInt32 = 0
  var line: UInt64
  var hash = [UInt8](repeating: 7, count: 32)
  var requestID: String?
  var route: String?
  /// Equal for records that agree in every mapped field.
  var recordDigest: UInt64 = 0
  var subject: String?
  var decision = Decision.unknown
  /// It could not be verified.
  var isBehind = false
  var isValidAttestation = false
  /// Its device stands in place of its key.
  var isOfDevice = false
  var isLookedAt = true
  /// It is an attestation after another valid one of its key.
  var mayBeReattested = false
  /// The finding about its counter.
  var counterCode: FindingCode?
  /// It waited for its key's attestation.
  var isWaited = false
  /// Whether its key's judges say of it the same as before.
  var isUnchanged = false
  /// It waited under its device.
  var wasOfDevice = false
  /// An earlier run judged it.
  var isRemembered = false
  /// A whole copy of its input replaces it.
  var isDamage = false
  var codes = CodeSet()

  var position: Position { Position(source: source, line: line) }

  private var flags: HashRow.Flags {
    var flags: HashRow.Flags = isLookedAt ? .lookedAt : []
    if isBehind { flags.insert(.behind) }
    if isBehind, kind == .assertion { flags.insert(.unverifiable) }
    if isValidAttestation { flags.insert(.validAttestation) }
    if mayBeReattested { flags.insert(.mayBeReattested) }
    if isOfDevice { flags.insert(.ofDevice) }
    if isWaited { flags.insert(.kept) }
    return flags
  }

  /// Returns the row, made longer by an App ID unless it is a remembered one.
  func row(_ texts: TextStore, appID: String, _ number: UInt32 = 0) throws -> [UInt8] {
    var event = SampleEvent()
    event.keyID = digest(key)
    event.time = time
    event.position = position
    event.kind = kind
    event.decision = decision
    event.identity = [UInt8](repeating: identity, count: 16)
    event.appID = appID
    event.requestID = requestID
    event.subject = subject
    event.route = route
    event.recordDigest = recordDigest
    event.clientDataHash = hash
    var was: KeyOpinion?
    if isWaited, !wasOfDevice {
      was = KeyOpinion(codes: CodeSet())
      was?.flags =
        isUnchanged ? flags.subtracting(.kept) : [.lookedAt, .behind, .unverifiable]
    }
    let live = try event.hashRow(
      texts, flags: flags, codes: codes,
      tentative: counterCode.map { HashRow.Tentative(code: $0, expected: 1) }, was: was)
    guard isRemembered else { return live }
    let row = RowBuilder(texts: texts)
    withRow(live) {
      var (subjects, routes) = (TextDigests(of: .subject), TextDigests(of: .route))
      let record = unsafe HashRow($0).rememberedEvent(blame: [], &subjects, &routes)
      HashRow.write(record, number, isDamage: isDamage, row)
    }
    return row.bytes
  }
}

/// The findings of an event.
struct ReplaySaid: Equatable {
  var line: UInt64
  var code: FindingCode?
  var related: UInt64?
  /// Whether it is a replay of a record that agrees with its own in every mapped field.
  var isIdentical: Bool
  var isAttestedBefore: Bool
  /// The most severe decision about it and its copies.
  var copies: Decision
  var codes: CodeSet
}

/// Returns the results of the replay table of `detection.md` for the events of this run, or for all of them, by
/// looking at all earlier events each time (`detection.R1`, `R30`, `R32`, `R35` to `R44`). Of two rows of one event, the row of this run counts, then the last that
/// was remembered.
func replayReference(
  _ events: [ReplaySample], _ policy: DetectionPolicy, ofAll: Bool = false
) -> [ReplaySaid] {
  func rank(_ event: ReplaySample) -> Int { event.isBehind ? 1 : 0 }
  let numbered = events.enumerated()
  let events = Dictionary(grouping: numbered, by: \.element.position).values.compactMap { rows in
    rows.max {
      ($0.element.isRemembered ? $0.offset : .max) < ($1.element.isRemembered ? $1.offset : .max)
    }?.element
  }
  let ordered = events.filter(\.isLookedAt).sorted {
    ($0.kind.rawValue, rank($0), $0.time, $0.position)
      < ($1.kind.rawValue, rank($1), $1.time, $1.position)
  }
  var said: [ReplaySaid] = []
  var origins: [Int] = []
  // The first event that logs the same request.
  var requests: [Int] = []
  for (index, event) in ordered.enumerated() {
    let earlier = ordered[..<index].filter { $0.kind == event.kind }
    let ofKey = earlier.filter { $0.key == event.key && $0.isOfDevice == event.isOfDevice }
    let same = ofKey.filter { $0.identity == event.identity }
    var found: (FindingCode, ReplaySample)?
    func agree(_ one: String?, _ other: String?) -> Bool {
      one == nil || other == nil || one == other
    }
    // Routes are compared as paths (records.R71).
    func path(_ event: ReplaySample) -> String? {
      event.route.map { $0.hasPrefix("https:") ? "/a" : $0 }
    }
    let twin = same.first {
      guard $0.requestID == event.requestID else { return false }
      guard event.requestID != nil else {
        return policy.identicalRecords == .duplicate && $0.time == event.time
          && $0.recordDigest == event.recordDigest
      }
      let isNear = $0.source != event.source && abs($0.time - event.time) <= policy.reorderTolerance
      return ($0.time == event.time || isNear) && agree($0.subject, event.subject)
        && agree(path($0), path(event))
    }
    let scope =
      policy.replayScope == .exact && event.kind == .attestation ? .global : policy.replayScope
    if let twin {
      found = (.recordDuplicate, twin)
    } else if let first = same.first {
      let isClose =
        policy.retryTolerance > 0 && abs(event.time - first.time) <= policy.retryTolerance
      let subject = same.first { $0.subject != nil }?.subject
      let isOne = subject == nil || event.subject == nil || subject == event.subject
      let places = ordered[..<index].indices.filter { same.contains(ordered[$0]) }
      let rejected = places.filter { ordered[$0].decision == .rejected }.map { requests[$0] }
      let isRejected = places.allSatisfy {
        ordered[$0].decision == .rejected
          || ordered[$0].decision == .unknown && rejected.contains(requests[$0])
      }
      let isRetry = isRejected && isOne
      if isClose || (isRetry && abs(event.time - first.time) <= policy.rejectedRetry) {
        found = (.replayRetry, first)
      } else {
        found = (event.kind == .attestation ? .replayAttestation : .replayAssertion, first)
      }
    } else if scope == .global, let original = earlier.first {
      let other = earlier.first {
        $0.key != event.key || $0.isOfDevice != event.isOfDevice
      }
      if let other {
        found = (.replayCrossKey, other)
      } else {
        found = (.replayClientDataHash, original)
      }
    } else if scope == .key, let original = ofKey.first {
      found = (.replayClientDataHash, original)
    }
    requests.append(
      twin.flatMap { twin in ordered.firstIndex { $0 == twin }.map { requests[$0] } } ?? index)
    let isCopy = found?.0 == .recordDuplicate || found?.0 == .replayRetry
    let isReplay = found?.0 == .replayAttestation || found?.0 == .replayAssertion
    let related = isCopy ? ordered.firstIndex { $0 == found?.1 } : nil
    origins.append(related.map { origins[$0] } ?? index)
    said.append(
      ReplaySaid(
        line: event.line, code: found?.0, related: found?.1.line,
        isIdentical: isReplay && found?.1.time == event.time
          && found?.1.recordDigest == event.recordDigest,
        isAttestedBefore: ofKey.contains(where: \.isValidAttestation), copies: .rejected,
        codes: event.codes))
  }
  // The copies of a request have one decision for all that is found of them (detection.R52).
  for index in said.indices {
    let copies = ordered.indices.filter { origins[$0] == origins[index] }.map {
      ordered[$0].decision
    }
    said[index].copies =
      [.accepted, .unknown].first { copies.contains($0) } ?? .rejected
  }
  return zip(ordered, said).filter { ofAll || !$0.0.isRemembered }.map(\.1)
    .sorted { $0.line < $1.line }
}
