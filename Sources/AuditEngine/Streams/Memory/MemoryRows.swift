internal import AppAttest
internal import Synchronization

/// The facts of a stage, for the stage of the report (``RowForm/memory``). Layout: the kind, 1
/// byte; the key, device or clientDataHash examined, 32; how many rows came before, 8, big-endian,
/// so that they keep the order of one process, or 0 for a ``KeptRecord``, whose bytes are its order; and
/// what is remembered.
final class MemoryRows: Sendable {
  /// The kind of fact that is remembered, in the order in which they are taken.
  enum Kind: UInt8 {
    /// The fingerprint of a finding that was watched for, in front of the 32 bytes.
    case seen
    /// The fate of findings of earlier runs, a ``FindingNote``, by the stage that decides it.
    case findingOfDevice, findingOfKey, findingOfHash
    case device
    case key
    /// ``KeptRow``.
    case event
    /// ``KeptRecord``.
    case hash
  }

  static let groupBytes = Digest256.byteCount
  static let keyLength = 1 + groupBytes + 8

  private let output: FrameWriter
  private let stage: AuditStage
  private let count = Atomic<UInt64>(0)

  init(_ output: FrameWriter, _ stage: AuditStage) {
    self.output = output
    self.stage = stage
  }

  /// Adds what is remembered of a key, device or clientDataHash: the first 32 bytes of `fact`.
  func add(_ kind: Kind, _ fact: UnsafeRawBufferPointer) throws(AuditError) {
    let number = kind == .hash ? 0 : count.add(1, ordering: .relaxed).oldValue
    try output.add(1) { _, bytes in
      bytes.append(RowForm.memory.rawValue)
      bytes.append(kind.rawValue)
      unsafe bytes.append(contentsOf: fact.prefix(Self.groupBytes))
      bytes.append(number: number.bigEndian)
      unsafe bytes.append(contentsOf: fact.dropFirst(Self.groupBytes))
    }
  }

  func add(_ kind: Kind, _ group: Digest256, _ rest: [UInt8]) throws(AuditError) {
    let fact = group.bytes + rest
    try unsafe fact.span.withUnsafeBytes { (fact) throws(AuditError) in
      try unsafe add(kind, fact)
    }
  }

  /// Adds a note that was made while a key, device or clientDataHash was examined.
  func add(_ note: FindingNote, of group: Digest256) throws(AuditError) {
    let kind: Kind =
      switch stage {
      case .map, .recall, .devices: .findingOfDevice
      case .keys: .findingOfKey
      case .hashes: .findingOfHash
      }
    try add(kind, group, note.packed)
  }

  func add(seen fingerprint: UInt64) throws(AuditError) {
    var group: [UInt8] = []
    group.append(number: fingerprint.bigEndian)
    group += [UInt8](repeating: 0, count: Self.groupBytes - group.count)
    try add(.seen, Digest256(group) ?? Digest256(), [])
  }
}
