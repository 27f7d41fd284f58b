package import FindingCodes

/// The systems whose logs can be forged, by the names of their schemas.
package enum ForgedSchema: String, Sendable, CaseIterable {
  case `default`
  case capgo
  case deviceIntegrity = "device-integrity"
  case swiftui
  case headerAssertion = "header-assertion"
  case nginxJson = "nginx-json"
  case envoy
  case otel
  case gcp
  case cloudwatch
  case awsApigw = "aws-apigw"

  /// The form of the system's log.
  var form: any LogForm {
    switch self {
    case .default: DefaultForm()
    case .capgo: TemplateForm.capgo
    case .deviceIntegrity: TemplateForm.deviceIntegrity
    case .swiftui: TemplateForm.swiftUI
    case .headerAssertion: TemplateForm.headerAssertion
    case .nginxJson: GatewayForm(layout: .nginxJson)
    case .envoy: GatewayForm(layout: .envoy)
    case .otel: GatewayForm(layout: .otel)
    case .gcp: GatewayForm(layout: .gcp)
    case .cloudwatch: GatewayForm(layout: .cloudwatch)
    case .awsApigw: GatewayForm(layout: .awsApigw)
    }
  }

  /// The codes that attacks can cause in the system's logs.
  package var codes: Set<FindingCode> { AttackCatalog.codes(in: form) }
}
