/// The configured apps, found by App ID or by its hash.
public struct ConfiguredApps: Sendable {
  /// The apps, by the index that judgements name.
  public let apps: [AppPolicy]
  /// SHA-256 of each App ID.
  public let rpIDHashes: [Digest256]
  /// The App IDs, as UTF-8.
  package let ids: [[UInt8]]
  /// The rules on what tokens carry, of each app, and last those of an app that is not configured.
  private let rules: [TokenRules]

  private final class TokenRules: Sendable {
    let category: CategoryPolicy
    let bundleVersion: BundleVersionPolicy
    let codeHash: CodeHashPolicy
    /// Whether a token without extensions can fail, or a category that Apple assigned.
    let restrictsCategory: Bool
    let restrictsCode: Bool

    init(_ app: AppPolicy?) {
      category = CategoryPolicy(app)
      bundleVersion = BundleVersionPolicy(app)
      codeHash = CodeHashPolicy(app)
      let required = app?.requires ?? []
      restrictsCategory =
        app.map { !$0.categories.isEmpty || !$0.bundleVersions.isEmpty } == true
        || required.contains(.category) || required.contains(.bundleVersion)
      restrictsCode = app.map { !$0.codeHashes.isEmpty } == true || required.contains(.codeHash)
    }

    func categoryFailure(_ extensions: AuthenticatorExtensions) -> String? {
      let reason = category.evaluate(extensions).reason
      guard let other = bundleVersion.evaluate(extensions).reason else { return reason }
      return reason.map { "\($0.dropLast()), and t\(other.dropFirst())" } ?? other
    }
  }

  /// Makes the list. Of apps with the same App ID the first counts.
  public init(_ apps: [AppPolicy]) {
    self.apps = apps
    rpIDHashes = apps.map { Digest256.sha256(Array($0.id.utf8).span) }
    ids = apps.map { Array($0.id.utf8) }
    rules = (apps.map(Optional.some) + [nil]).map(TokenRules.init)
  }

  /// Returns the index of the app with that App ID, compared byte by byte, or nil.
  public func index(ofAppID appID: Span<UInt8>) -> Int? {
    for index in ids.indices {
      let id = ids[index]
      if id.span.equals(appID) { return index }
    }
    return nil
  }

  /// Finds the app of a record and compares the rpIdHash. It matches if it is the SHA-256 of
  /// `appID` (UTF-8), which must be configured. The index is nil for an unknown app.
  public func judge(appID: Span<UInt8>, rpIDHash: Digest256) -> (matches: Bool, index: Int?) {
    guard let index = index(ofAppID: appID) else { return (false, nil) }
    return (rpIDHashes[index] == rpIDHash, index)
  }

  /// Judges a record without an App ID like the other `judge`.
  public func judge(rpIDHash: Digest256) -> (matches: Bool, index: Int?) {
    let index = rpIDHashes.firstIndex(of: rpIDHash)
    return (index != nil, index)
  }

  /// Judges a record like the other two, for an App ID that is a string.
  public func judge(appID: String?, rpIDHash: Digest256) -> (matches: Bool, index: Int?) {
    guard let appID else { return judge(rpIDHash: rpIDHash) }
    return judge(appID: Array(appID.utf8).span, rpIDHash: rpIDHash)
  }

  /// Returns why a record is not of a configured app, as one sentence, once that is known.
  package func mismatch(appID: String?, rpIDHash: Digest256) -> String {
    let named = judge(rpIDHash: rpIDHash).index.map { apps[$0].id }
    let configured = DetailText.list(apps.map(\.id))
    guard let appID else {
      return "The rpIdHash \(rpIDHash.hex) is that of no configured app: \(configured)."
    }
    let isConfigured = index(ofAppID: Array(appID.utf8).span) != nil
    guard let named else {
      return isConfigured
        ? "The rpIdHash \(rpIDHash.hex) is not that of the record's App ID, \(appID), nor of any "
          + "configured one."
        : "The App ID \(DetailText.quoted(appID)) is not a configured one: \(configured)."
    }
    let other = isConfigured ? "" : ", which is not configured"
    let clip =
      appID.hasPrefix(named + ".") ? ": an App Clip's token has the App ID of its full app" : ""
    return "The rpIdHash is that of \(named), not of the record's App ID, "
      + "\(DetailText.quoted(appID))\(other)\(clip)."
  }

  /// Returns why the app does not allow the category or the bundle version, or nil. Some categories
  /// are refused for all apps, also for one that is not configured (nil).
  public func categoryFailure(index: Int?, extensions: AuthenticatorExtensions) -> String? {
    let rules = rules[index ?? apps.count]
    let isRefused = extensions.category.value?.isNeverAccepted == true
    return rules.restrictsCategory || isRefused ? rules.categoryFailure(extensions) : nil
  }

  /// Returns why the app does not allow the signed code hash, or nil, also if it is not configured.
  public func codeFailure(index: Int?, extensions: AuthenticatorExtensions) -> String? {
    let rules = rules[index ?? apps.count]
    return rules.restrictsCode ? rules.codeHash.evaluate(extensions).reason : nil
  }
}
