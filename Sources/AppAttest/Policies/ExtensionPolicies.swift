/// The validation categories that an app accepts (`verification.R15`). An app that lists none accepts all
/// that Apple assigned. Tokens before OS 27 carry none, which is refused only if the app requires one.
public struct CategoryPolicy: Policy {
  private let app: AppPolicy?

  /// Makes the rule of an app, or of an app that is not configured.
  public init(_ app: AppPolicy?) { self.app = app }

  public func evaluate(_ extensions: AuthenticatorExtensions) -> PolicyOutcome {
    let allowed = app?.categories ?? []
    switch extensions.category {
    case .absent: return app.missing(.category)
    case .unreadable where allowed.isEmpty && app?.requires.contains(.category) != true:
      return .meets
    case .unreadable: return .fails(reason: "The validation category cannot be read.")
    case .value(let category) where category.isNeverAccepted:
      return .fails(
        reason: "The validation category is \(category.name), which Apple assigns to no app.")
    case .value(let category):
      guard let app, !allowed.isEmpty, !allowed.contains(category) else { return .meets }
      let names = allowed.sorted { $0.rawValue < $1.rawValue }.map(\.name)
      return .fails(
        reason: "The validation category is \(category.name); the app \(app.id) allows "
          + "\(DetailText.list(names)).")
    }
  }
}

/// The bundle versions that an app accepts, as texts and ranges (`verification.R15`, `R40`), or
/// all. Tokens of Macs and of older systems carry none, which is refused only if one is required.
public struct BundleVersionPolicy: Policy {
  private let app: AppPolicy?
  private let ranges: [BundleVersionRange]
  /// The versions that are not ranges.
  private let texts: [String]

  /// Makes the rule of an app, or of an app that is not configured.
  public init(_ app: AppPolicy?) {
    self.app = app
    let listed = (app?.bundleVersions ?? []).sorted()
    ranges = listed.compactMap { BundleVersionRange($0) }
    texts = listed.filter { BundleVersionRange($0) == nil }
  }

  public func evaluate(_ extensions: AuthenticatorExtensions) -> PolicyOutcome {
    switch extensions.bundleVersion {
    case .absent: return app.missing(.bundleVersion)
    case .unreadable, .value(""):
      guard let app, !app.bundleVersions.isEmpty || app.requires.contains(.bundleVersion) else {
        return .meets
      }
      let isEmpty = extensions.bundleVersion.value != nil
      return .fails(reason: "The bundle version \(isEmpty ? "is empty" : "cannot be read").")
    case .value(let version):
      // By bytes: Unicode's other spelling of a text is another version.
      guard let app, !app.bundleVersions.isEmpty,
        !texts.contains(where: { $0.utf8.elementsEqual(version.utf8) }),
        !ranges.contains(where: { $0.contains(version) })
      else { return .meets }
      return .fails(
        reason: "The bundle version is \(DetailText.quoted(version)); the app \(app.id) allows "
          + "\(DetailText.list(app.bundleVersions.sorted())).")
    }
  }
}

/// The code that an app accepts (`verification.R37`). An app that lists no hashes accepts all. Tokens of
/// apps without Apple's entitlement carry no hash, which is refused only if the app requires one.
public struct CodeHashPolicy: Policy {
  private let app: AppPolicy?

  /// Makes the rule of an app, or of an app that is not configured.
  public init(_ app: AppPolicy?) { self.app = app }

  public func evaluate(_ extensions: AuthenticatorExtensions) -> PolicyOutcome {
    guard let app, !app.codeHashes.isEmpty || app.requires.contains(.codeHash) else {
      return .meets
    }
    switch extensions.codeHash {
    case .absent: return Optional(app).missing(.codeHash)
    case .unreadable: return .fails(reason: "The signed code hash cannot be read.")
    case .value(let hash) where hash.byteCount == 0:
      return .fails(reason: "The signed code hash is empty.")
    case .value(let hash):
      guard !app.codeHashes.isEmpty, !app.codeHashes.contains(where: hash.matches) else {
        return .meets
      }
      return .fails(
        reason:
          "The signed code hash is \(DetailText.hex(hash.bytes)), \(hash.byteCount) bytes; the "
          + "app \(app.id) allows \(DetailText.list(app.codeHashes.map(\.hex))).")
    }
  }
}

/// The access control that keys of Macs need (`verification.R36`): Apple's for System Integrity Protection and
/// Full Security. Keys of other devices meet the rule.
public struct AccessControlPolicy: Policy {
  public init() {}

  public func evaluate(_ origin: KeyOrigin) -> PolicyOutcome {
    guard origin.platform == .macos, !origin.hasFullSecurity else { return .meets }
    let stated = origin.accessControl.map { "is \(DetailText.hex($0))" } ?? "is missing"
    return .fails(
      reason:
        "The leaf certificate is of macOS, and its access control \(stated), not Apple's value for "
        + "System Integrity Protection and Full Security.")
  }
}

extension AppPolicy? {
  /// Returns whether a token without a value meets the app's rules.
  fileprivate func missing(_ value: SignedValue) -> PolicyOutcome {
    guard let app = self, app.requires.contains(value) else { return .meets }
    return .fails(reason: "The token carries no \(value.words); the app \(app.id) requires one.")
  }
}
