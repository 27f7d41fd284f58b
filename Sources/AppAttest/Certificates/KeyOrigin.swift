internal import OpenSSL

/// The platform of a key (`facts.R37`).
public enum KeyPlatform: UInt8, Sendable, CaseIterable {
  case ios, macos

  /// The platform's name in texts.
  public var name: String {
    switch self {
    case .ios: "ios"
    case .macos: "macos"
    }
  }
}

/// The system that made a key, as Apple certified it in the leaf of the key's attestation.
public struct KeyOrigin: Sendable, Hashable {
  /// macOS if the certificate says so.
  public let platform: KeyPlatform
  /// The text under [1400] of extension 1.2.840.113635.100.8.7, or empty if it cannot be read.
  public let osVersion: String
  /// The octets of extension 1.2.840.113635.100.8.6 on the key's protection, or nil.
  public let accessControl: [UInt8]?

  /// Reads the leaf's extensions 1.2.840.113635.100.8.5, 7 and 6. An absent one is empty.
  init(app: Span<UInt8>, device: Span<UInt8>, accessControl: Span<UInt8>) {
    platform = LeafExtensions.isMacOS(app: app, device: device) ? .macos : .ios
    osVersion = LeafExtensions.osVersion(inside: device)
    self.accessControl = LeafExtensions.accessControl(inside: accessControl)
  }

  init(_ leaf: Certificate) {
    func value(_ identifier: String) -> [UInt8] { leaf.extensionValue(identifier) ?? [] }
    self.init(
      app: value(LeafExtensions.appIdentifier).span,
      device: value(LeafExtensions.deviceIdentifier).span,
      accessControl: value(LeafExtensions.accessControlIdentifier).span)
  }

  /// Whether the access control is Apple's for full security (`facts.R36`), which no iOS key has.
  public var hasFullSecurity: Bool { accessControl == LeafExtensions.fullSecurity }
}
