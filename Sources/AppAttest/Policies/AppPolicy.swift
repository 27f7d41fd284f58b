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
    ("none", .init(rawValue: 10)),
  ]

  /// Makes the category of that name, or nil.
  public init?(name: String) {
    guard let match = Self.names.first(where: { $0.name == name }) else { return nil }
    self = match.category
  }

  /// The category's name in texts, or the number in decimal if Apple has named none.
  public var name: String {
    Self.names.first(where: { $0.category == self })?.name ?? String(rawValue)
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
  /// The allowed bundle versions. If empty, they are not checked.
  public var bundleVersions: Set<String>

  public init(
    id: String, environments: Set<AttestEnvironment> = [.production],
    categories: Set<ValidationCategory> = [], bundleVersions: Set<String> = []
  ) {
    self.id = id
    self.environments = environments
    self.categories = categories
    self.bundleVersions = bundleVersions
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
