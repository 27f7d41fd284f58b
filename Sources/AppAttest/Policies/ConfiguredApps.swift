/// The configured apps, found by App ID or by its hash.
public struct ConfiguredApps: Sendable {
  /// The apps, by the index that judgements name.
  public let apps: [AppPolicy]
  /// SHA-256 of each App ID.
  public let rpIDHashes: [Digest256]
  private let ids: [[UInt8]]
  /// True where an app restricts categories or bundle versions.
  private let isRestricted: [Bool]

  /// Makes the list. Of apps with the same App ID the first counts.
  public init(_ apps: [AppPolicy]) {
    self.apps = apps
    rpIDHashes = apps.map { Digest256.sha256(Array($0.id.utf8).span) }
    ids = apps.map { Array($0.id.utf8) }
    isRestricted = apps.map { !$0.categories.isEmpty || !$0.bundleVersions.isEmpty }
  }

  /// Returns the index of the app with that App ID, which is compared byte by byte, or nil if there
  /// is no such app.
  public func index(ofAppID appID: Span<UInt8>) -> Int? {
    for index in ids.indices {
      let id = ids[index]
      if id.span.equals(appID) { return index }
    }
    return nil
  }

  /// Finds the app of a record and compares the rpIdHash. It matches if it is the SHA-256 of
  /// `appID`, which must be configured, or, without an `appID`, that of a configured app.
  ///
  /// - Parameter appID: UTF-8.
  /// - Returns: `index` is nil if the app is unknown. With an `appID` it may be known although
  ///   nothing matches.
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

  /// Returns the reason why a record is not of a configured app, as one sentence, after
  /// ``judge(appID:rpIDHash:)`` found that it is not.
  package func mismatch(appID: String?, rpIDHash: Digest256) -> String {
    let named = judge(rpIDHash: rpIDHash).index
    let configured = DetailText.list(apps.map(\.id))
    guard let appID else {
      return "The rpIdHash \(rpIDHash.hex) is that of no configured app: \(configured)."
    }
    guard index(ofAppID: Array(appID.utf8).span) != nil else {
      return "The App ID \(DetailText.quoted(appID)) is not a configured one: \(configured)."
    }
    guard let named else {
      return
        "The rpIdHash \(rpIDHash.hex) is not that of the record's App ID, \(appID), nor of any "
        + "configured one."
    }
    return "The rpIdHash is that of \(apps[named].id), not of the record's App ID, \(appID)."
  }

  /// Returns the reason why the app does not allow the category or the bundle version, as one
  /// sentence. Returns nil if the app allows it, if the app lists none, and if the authenticator
  /// data carries none.
  public func categoryFailure(index: Int, extensions: AuthenticatorExtensions) -> String? {
    guard !extensions.areAbsent, isRestricted.indices.contains(index), isRestricted[index] else {
      return nil
    }
    return CategoryPolicy(apps[index]).evaluate(extensions).reason
      ?? BundleVersionPolicy(apps[index]).evaluate(extensions).reason
  }
}
