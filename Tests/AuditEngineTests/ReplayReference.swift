import AppAttest

@testable import AuditEngine

/// An event of one clientDataHash.
struct ReplaySample: Equatable {
  var kind = RecordKind.assertion
  var key: UInt8 = 1
  var identity: UInt8 = 1
  var time: Int64 = 0
  var line: UInt64
  var requestID: String?
  var decision = Decision.unknown
  /// It could not be verified.
  var isBehind = false
  var isValidAttestation = false
  /// Its device stands in place of its key.
  var isOfDevice = false
  var codes = CodeSet()

  var position: Position { Position(source: 0, line: line) }

  /// The row, made longer by an App ID.
  func row(_ texts: TextStore, appID: String) throws -> [UInt8] {
    var event = SampleEvent()
    event.keyID = digest(key)
    event.time = time
    event.position = position
    event.kind = kind
    event.decision = decision
    event.identity = [UInt8](repeating: identity, count: 16)
    event.appID = appID
    event.requestID = requestID
    var flags = HashRow.Flags.lookedAt
    if isBehind { flags.insert(.behind) }
    if isValidAttestation { flags.insert(.validAttestation) }
    if isOfDevice { flags.insert(.ofDevice) }
    return try event.hashRow(texts, flags: flags, codes: codes)
  }
}

/// What is said of an event.
struct ReplaySaid: Equatable {
  var line: UInt64
  var code: FindingCode?
  var related: UInt64?
  var isAttestedBefore: Bool
  var codes: CodeSet
}

/// The replay table of `detection.md`, by looking at all earlier events each time.
func replayReference(_ events: [ReplaySample], _ policy: DetectionPolicy) -> [ReplaySaid] {
  let ordered = events.sorted {
    ($0.kind.rawValue, $0.isBehind ? 1 : 0, $0.time, $0.line)
      < ($1.kind.rawValue, $1.isBehind ? 1 : 0, $1.time, $1.line)
  }
  return ordered.indices.map { index in
    let event = ordered[index]
    let earlier = ordered[..<index].filter { $0.kind == event.kind }
    let ofKey = earlier.filter { $0.key == event.key && $0.isOfDevice == event.isOfDevice }
    let same = ofKey.filter { $0.identity == event.identity }
    var found: (FindingCode, ReplaySample)?
    let twin = same.first {
      $0.requestID != nil && $0.requestID == event.requestID && $0.time == event.time
    }
    if let twin {
      found = (.recordDuplicate, twin)
    } else if let first = same.first {
      let isClose =
        policy.retryTolerance > 0 && abs(event.time - first.time) <= policy.retryTolerance
      if isClose || same.allSatisfy({ $0.decision == .rejected }) {
        found = (.replayRetry, first)
      } else {
        found = (event.kind == .attestation ? .replayAttestation : .replayAssertion, first)
      }
    } else if policy.replayScope == .global, let original = earlier.first {
      let other = earlier.first {
        $0.key != event.key || $0.isOfDevice != event.isOfDevice
      }
      if let other {
        found = (.replayCrossKey, other)
      } else {
        found = (.replayClientDataHash, original)
      }
    } else if policy.replayScope == .key, let original = ofKey.first {
      found = (.replayClientDataHash, original)
    }
    return ReplaySaid(
      line: event.line, code: found?.0, related: found?.1.line,
      isAttestedBefore: ofKey.contains(where: \.isValidAttestation), codes: event.codes)
  }
}
