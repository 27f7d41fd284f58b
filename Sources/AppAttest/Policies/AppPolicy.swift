/// Apple's two App Attest environments, told by the aaguid of an attestation.
public enum AttestEnvironment: UInt8, Sendable, CaseIterable {
  /// aaguid `appattest` and seven zero bytes.
  case production
  /// aaguid `appattestdevelop`.
  case development

  /// The environment's name in texts.
  public var name: String {
    switch self {
    case .production: "production"
    case .development: "development"
    }
  }
}

/// Apple's validation categories (`apple_validation_category_01`, iOS 27 and later).
public struct ValidationCategory: RawRepresentable, Hashable, Sendable {
  /// Apple's number, little-endian in the bytes.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The names of the categories in texts, with Apple's numbers.
  public static let names: [(name: String, category: ValidationCategory)] = [
    ("os", .init(rawValue: 1)), ("testFlight", .init(rawValue: 2)),
    ("development", .init(rawValue: 3)), ("appStore", .init(rawValue: 4)),
    ("enterprise", .init(rawValue: 5)), ("developerID", .init(rawValue: 6)),
    ("other", .init(rawValue: 10)),
  ]

  /// Makes the category of that name, or nil.
  public init?(name: String) {
    guard let match = Self.names.first(where: { $0.name == name }) else { return nil }
    self = match.category
  }

  /// Whether Apple calls the category invalid (0) or not appropriate (7, 8, 9).
  public var isNeverAccepted: Bool { rawValue == 0 || (7...9).contains(rawValue) }

  /// The category's name in texts, or the number in decimal if Apple has named none.
  public var name: String {
    Self.names.first(where: { $0.category == self })?.name ?? String(rawValue)
  }
}

/// A value that Apple's system signs into tokens of OS 27 and later, and that an app can require.
public enum SignedValue: String, Sendable, CaseIterable {
  case category, bundleVersion, codeHash

  var words: String {
    switch self {
    case .category: "validation category"
    case .bundleVersion: "bundle version"
    case .codeHash: "signed code hash"
    }
  }
}

/// One configured app with its rules.
public struct AppPolicy: Sendable, Equatable {
  /// The App ID: prefix, a point, bundle identifier.
  public var id: String
  /// The environments whose keys the app accepts.
  public var environments: Set<AttestEnvironment>
  /// The allowed validation categories. If empty, they are not checked.
  public var categories: Set<ValidationCategory>
  /// The allowed bundle versions, texts and ranges (``BundleVersionRange``). Empty checks none.
  public var bundleVersions: Set<String>
  /// The allowed code hashes. If empty, they are not checked.
  public var codeHashes: [CodeHash]
  /// The values without which tokens are refused.
  public var requires: Set<SignedValue>

  public init(
    id: String, environments: Set<AttestEnvironment> = [.production],
    categories: Set<ValidationCategory> = [], bundleVersions: Set<String> = [],
    codeHashes: [CodeHash] = [], requires: Set<SignedValue> = []
  ) {
    self.id = id
    self.environments = environments
    self.categories = categories
    self.bundleVersions = bundleVersions
    self.codeHashes = codeHashes
    self.requires = requires
  }
}

/// The treatment of the receipt inside an attestation.
public enum ReceiptPolicy: String, Sendable, CaseIterable {
  /// Signatures, chain and fields are checked.
  case verify
  /// Fields are checked, signatures are not.
  case parse
  /// Nothing is checked.
  case ignore
}

/// The treatment of the access control of keys that Macs made.
public enum MacOSAccessControlPolicy: String, Sendable, CaseIterable {
  /// Only Apple's value for System Integrity Protection and Full Security is accepted.
  case verify
  /// Nothing is checked.
  case ignore
}
