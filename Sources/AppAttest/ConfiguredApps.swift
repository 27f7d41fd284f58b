/// The configured apps, found by App ID or by its hash.
public struct ConfiguredApps: Sendable {
  /// The apps, by the index that judgements name.
  public let apps: [AppPolicy]
  /// SHA-256 of each App ID.
  public let rpIDHashes: [Digest256]
  private let byID: [String: Int]
  private let byHash: [Digest256: Int]

  /// Of apps with one App ID the first counts.
  public init(_ apps: [AppPolicy]) {
    self.apps = apps
    rpIDHashes = apps.map { Digest256.sha256(Array($0.id.utf8).span) }
    byID = Dictionary(apps.enumerated().map { ($1.id, $0) }) { first, _ in first }
    byHash = Dictionary(rpIDHashes.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// Finds the app of a record and tells whether the rpIdHash is its: SHA-256 of `appID`, which is
  /// configured; or, without one, of a configured app. Allocates nothing.
  ///
  /// - Returns: `index` is nil where the app is unknown; with an `appID` it may be known although
  ///   nothing matches.
  public func judge(appID: String?, rpIDHash: Digest256) -> (matches: Bool, index: Int?) {
    guard let appID else {
      let index = byHash[rpIDHash]
      return (index != nil, index)
    }
    guard let index = byID[appID] else { return (false, nil) }
    return (rpIDHashes[index] == rpIDHash, index)
  }

  /// Why the category or the bundle version is none that the app allows, as one sentence; nil where
  /// it is, where the app lists none, and where the authenticator data carries none.
  public func categoryFailure(index: Int, extensions: AuthenticatorExtensions) -> String? {
    guard apps.indices.contains(index) else { return nil }
    if !apps[index].categories.isEmpty {
      switch extensions.category {
      case .absent: break
      case .unreadable: return "The validation category cannot be read."
      case .value(let category):
        if !apps[index].categories.contains(category) {
          return "The validation category is \(category.name), which the app does not allow."
        }
      }
    }
    if !apps[index].bundleVersions.isEmpty {
      switch extensions.bundleVersion {
      case .absent: break
      case .unreadable: return "The bundle version cannot be read."
      case .value(let version):
        if !apps[index].bundleVersions.contains(version) {
          return "The bundle version is none that the app allows."
        }
      }
    }
    return nil
  }
}
