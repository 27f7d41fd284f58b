/// The validation categories that an app accepts. Tokens that carry none, as before iOS 27, meet it, and
/// an app that lists none accepts all.
public struct CategoryPolicy: Policy {
  private let app: AppPolicy

  public init(_ app: AppPolicy) { self.app = app }

  public func evaluate(_ extensions: AuthenticatorExtensions) -> PolicyOutcome {
    guard !app.categories.isEmpty else { return .meets }
    switch extensions.category {
    case .absent: return .meets
    case .unreadable: return .fails(reason: "The validation category cannot be read.")
    case .value(let category):
      if app.categories.contains(category) { return .meets }
      let allowed = app.categories.sorted { $0.rawValue < $1.rawValue }.map(\.name)
      return .fails(
        reason: "The validation category is \(category.name); the app \(app.id) allows "
          + "\(DetailText.list(allowed)).")
    }
  }
}

/// The bundle versions that an app accepts. Tokens that carry none, as before iOS 27, meet it, and an app
/// that lists none accepts all.
public struct BundleVersionPolicy: Policy {
  private let app: AppPolicy

  public init(_ app: AppPolicy) { self.app = app }

  public func evaluate(_ extensions: AuthenticatorExtensions) -> PolicyOutcome {
    guard !app.bundleVersions.isEmpty else { return .meets }
    switch extensions.bundleVersion {
    case .absent: return .meets
    case .unreadable: return .fails(reason: "The bundle version cannot be read.")
    case .value(let version):
      if app.bundleVersions.contains(version) { return .meets }
      return .fails(
        reason: "The bundle version is \(DetailText.quoted(version)); the app \(app.id) allows "
          + "\(DetailText.list(app.bundleVersions.sorted())).")
    }
  }
}
