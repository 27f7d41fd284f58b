/// The environments whose keys an app accepts.
public struct EnvironmentPolicy: Policy {
  private let app: AppPolicy

  public init(_ app: AppPolicy) { self.app = app }

  public func evaluate(_ environment: AttestEnvironment) -> PolicyOutcome {
    if app.environments.contains(environment) { return .meets }
    let allowed = AttestEnvironment.allCases.filter(app.environments.contains).map(\.name)
    return .fails(
      reason: "The environment is \(environment.name); the app \(app.id) allows "
        + "\(DetailText.list(allowed)).")
  }
}
