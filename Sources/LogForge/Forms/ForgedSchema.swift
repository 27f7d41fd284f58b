package import FindingCodes

/// The systems whose logs can be forged, by the names of their schemas.
package enum ForgedSchema: String, Sendable, CaseIterable {
  case `default`
  case capgo
  case deviceIntegrity = "device-integrity"
  case swiftui
  case headerAssertion = "header-assertion"

  /// How the system's log looks.
  var form: any LogForm {
    switch self {
    case .default: DefaultForm()
    case .capgo: CapgoForm()
    case .deviceIntegrity: DeviceIntegrityForm()
    case .swiftui: SwiftUIForm()
    case .headerAssertion: HeaderAssertionForm()
    }
  }

  /// The codes that attacks can bring about in the system's logs.
  package var codes: Set<FindingCode> { AttackCatalog.codes(in: form) }
}
