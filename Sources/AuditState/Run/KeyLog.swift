internal import AppAttest
internal import AuditEngine

/// Keys that wait for the commit, in the order in which they came.
final class KeyLog: Sendable {
  private let log: SpillLog

  init(_ folder: StateFolder) {
    log = SpillLog(folder)
  }

  func append(_ key: KeptKey) throws(StateError) {
    let bytes = Self.encode(key)
    var length = VariableBytesWriter()
    length.put(UInt64(bytes.count))
    try log.append(length.bytes)
    try log.append(bytes)
  }

  /// Calls `body` with each key; nothing is appended afterwards.
  func each(_ body: (KeptKey) throws(StateError) -> Void) throws(StateError) {
    var held: [UInt8] = []
    var wanted: Int?
    unsafe try log.forEachPiece { piece throws(StateError) in
      unsafe held.append(contentsOf: piece)
      var used = 0
      while true {
        if wanted == nil {
          var reader = VariableBytesReader(Array(held[used...].prefix(10)))
          let before = reader.left
          guard let length = reader.number(as: Int.self) else { break }
          wanted = length
          used += before - reader.left
        }
        guard let length = wanted, held.count - used >= length else { break }
        guard let key = Self.decode(Array(held[used..<(used + length)])) else {
          throw Self.damage
        }
        try body(key)
        used += length
        wanted = nil
      }
      held.removeFirst(used)
    }
    guard held.isEmpty, wanted == nil else { throw Self.damage }
  }

  private static var damage: StateError {
    .damaged("a file without a name", "it does not hold what was written to it")
  }

  // MARK: Encoding

  static func encode(_ key: KeptKey) -> [UInt8] {
    var writer = VariableBytesWriter()
    writer.put(key.keyID.bytes)
    writer.put(position: key.firstValid)
    writer.put(position: key.firstAttestation)
    writer.put(key.publicKey)
    writer.put(key.appID)
    writer.put(optional: key.environment.map { Int64($0.rawValue) })
    writer.put(optional: key.attestedAt)
    writer.put(optional: key.firstValidAt)
    writer.put(key.osVersion)
    writer.put(optional: key.category.map { Int64($0.rawValue) })
    writer.put(key.bundleVersion)
    writer.put(key.receiptType)
    writer.put(optional: key.receiptCreated)
    writer.put(key.riskMetric)
    writer.put(key.subject == nil ? 0 : 1)
    if let subject = key.subject {
      writer.put(subject.identity)
      writer.put(subject.text)
      writer.put(position: subject.position)
    }
    writer.put(CounterBytes.encode(key.highs, stored: key.stored))
    writer.put(CounterBytes.encode(key.seen))
    writer.put(UInt64(key.waitingFrom))
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) -> KeptKey? {
    var reader = VariableBytesReader(bytes)
    guard let keyID = reader.block().flatMap({ Digest256($0) }) else { return nil }
    var key = KeptKey(keyID: keyID)
    guard let firstValid = reader.position(), let firstAttestation = reader.position(),
      let publicKey = reader.block(), let appID = reader.text(),
      let environment = reader.optional(), let attestedAt = reader.optional(),
      let firstValidAt = reader.optional(),
      let osVersion = reader.text(), let category = reader.optional(),
      let bundleVersion = reader.text(), let receiptType = reader.text(),
      let receiptCreated = reader.optional(), let riskMetric = reader.text(),
      let hasSubject = reader.number()
    else { return nil }
    key.firstValid = firstValid
    key.firstAttestation = firstAttestation
    key.publicKey = publicKey
    key.appID = appID
    key.environment = environment.flatMap { UInt8(exactly: $0) }
      .flatMap(AttestEnvironment.init(rawValue:))
    key.attestedAt = attestedAt
    key.firstValidAt = firstValidAt
    key.osVersion = osVersion
    key.category = category.flatMap { UInt32(exactly: $0) }
      .map(ValidationCategory.init(rawValue:))
    key.bundleVersion = bundleVersion
    key.receiptType = receiptType
    key.receiptCreated = receiptCreated
    key.riskMetric = riskMetric
    if hasSubject == 1 {
      guard let identity = reader.block(), let text = reader.text(),
        let position = reader.position()
      else { return nil }
      key.subject = KeptKey.Subject(
        identity: identity, text: text, position: position)
    }
    guard let highs = reader.block().flatMap(CounterBytes.highs),
      let seen = reader.block().flatMap(CounterBytes.seen),
      let waitingFrom = reader.number(as: UInt32.self), reader.isAtEnd
    else { return nil }
    key.waitingFrom = waitingFrom
    (key.highs, key.stored) = highs
    key.seen = seen
    return key
  }
}

extension VariableBytesWriter {
  mutating func put(optional number: Int64?) {
    put(number == nil ? 0 : 1)
    if let number { put(signed: number) }
  }

  mutating func put(position: Position?) {
    put(position == nil ? 0 : 1)
    guard let position else { return }
    put(UInt64(position.source))
    put(position.line)
  }
}

extension VariableBytesReader {
  /// Returns a number or none; nil for what was never written.
  mutating func optional() -> Int64?? {
    switch number() {
    case 0: return .some(nil)
    case 1: return signed().map { .some($0) }
    default: return nil
    }
  }

  /// Returns a position or none; nil for what was never written.
  mutating func position() -> Position?? {
    switch number() {
    case 0: return .some(nil)
    case 1:
      guard let source = number(as: UInt32.self), let line = number() else { return nil }
      return .some(Position(source: source, line: line))
    default: return nil
    }
  }
}
