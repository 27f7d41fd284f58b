package import AppAttest

/// The events that are wanted in order of key and time, if not all are.
package struct EventChoice: Sendable {
  private let keys: Set<Digest256>
  private let hashes: Set<[UInt8]>

  /// Chooses the events of these keys, and those of these clientDataHashes.
  package init(keys: [Digest256], hashes: [[UInt8]]) {
    self.keys = Set(keys)
    self.hashes = Set(hashes)
  }

  /// Returns whether an event is chosen.
  func takes(_ keyID: Digest256?, hash: UnsafeRawBufferPointer) -> Bool {
    if let keyID, keys.contains(keyID) { return true }
    return hashes.contains { unsafe $0.elementsEqual(hash) }
  }

  /// Whether nothing but keys is chosen.
  var isOfKeys: Bool { hashes.isEmpty }

  /// Returns whether all events of the key are chosen.
  func takes(_ keyID: Digest256) -> Bool { keys.contains(keyID) }

  /// Returns whether of the key only events matter that share a clientDataHash with chosen ones.
  func passesOver(_ keyID: Digest256) -> Bool { isOfKeys && !takes(keyID) }
}
