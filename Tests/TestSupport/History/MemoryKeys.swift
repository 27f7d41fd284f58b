internal import AppAttest
internal import AuditEngine
internal import Files
internal import Synchronization

/// The registry of keys of one run of a ``MemoryHistory``.
final class MemoryKeys: KeyMemory {
  private struct State {
    var asked: Digest256?
    var remembered: [KeptKey] = []
    var devices: [KeptDevice] = []
  }

  private let keys: [Digest256: KeptKey]
  private let devices: [Digest256: [KeptDevice]]
  private let isAdvance: Bool
  private let state = Mutex(State())

  init(
    _ keys: [Digest256: KeptKey], _ devices: [Digest256: [KeptDevice]],
    isAdvance: Bool
  ) {
    self.keys = keys
    self.devices = devices
    self.isAdvance = isAdvance
  }

  var remembered: [KeptKey] { state.withLock { $0.remembered } }
  var rememberedDevices: [KeptDevice] { state.withLock { $0.devices } }

  func key(_ keyID: Digest256) throws(AuditError) -> KeptKey? {
    let isInOrder = state.withLock { state in
      defer { state.asked = keyID }
      return state.asked.map { $0 <= keyID } ?? true
    }
    guard isInOrder else { throw AuditError.misuse("keys are not asked for in ascending order") }
    return keys[keyID]
  }

  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]? {
    keys[keyID].flatMap { $0.publicKey.isEmpty ? nil : $0.publicKey }
  }

  func remember(_ key: KeptKey) throws(AuditError) {
    guard isAdvance else { throw AuditError.misuse("a key is remembered without advance") }
    let isInOrder = state.withLock { state in
      defer { state.remembered.append(key) }
      return state.remembered.last.map { $0.keyID < key.keyID } ?? true
    }
    guard isInOrder else { throw AuditError.misuse("keys are not remembered in ascending order") }
  }

  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] {
    devices[device] ?? []
  }

  func remember(_ device: KeptDevice) throws(AuditError) {
    guard isAdvance else { throw AuditError.misuse("a device is remembered without advance") }
    state.withLock { $0.devices.append(device) }
  }
}

extension AuditError {
  /// Returns the error of a caller who does not keep to the protocol.
  static func misuse(_ what: String) -> AuditError { AuditError(.inconsistent, what) }
}
