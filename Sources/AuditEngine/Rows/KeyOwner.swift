internal import AppAttest

/// The key of an event, or the device that stands in its place: neither is ever taken for the
/// other, whatever their bytes.
struct KeyOwner: Hashable, Comparable {
  /// Key identifier, or SHA-256 of the device identifier.
  let digest: Digest256
  let isDevice: Bool

  static func < (left: KeyOwner, right: KeyOwner) -> Bool {
    if left.digest != right.digest { return left.digest < right.digest }
    return !left.isDevice && right.isDevice
  }
}
