/// The fields that lines are mapped onto (`records.md`), by their order here.
package enum LogField: Int, CaseIterable, Sendable {
  case time, kind, keyId, token, challenge, payload, clientData, clientDataHash, appId, subject
  case requestId, decision, platform, format, clientIP, userAgent, route, duration, serverCounter
  case deviceId

  /// The field's name in the default schema, in schema files and in reasons.
  package var name: String { String(describing: self) }

  package init?(name: String) {
    guard let field = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = field
  }
}

/// A text of a request that reports show: a field whose value is copied as it is.
public enum RequestText: Int, CaseIterable, Sendable {
  case subject, requestID, clientIP, userAgent, route

  package var field: LogField {
    switch self {
    case .subject: .subject
    case .requestID: .requestId
    case .clientIP: .clientIP
    case .userAgent: .userAgent
    case .route: .route
    }
  }
}
