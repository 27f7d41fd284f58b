/// The reason why bytes are not attestation object, assertion or receipt.
public struct MalformedToken: Error, Sendable, Equatable {
  /// One English sentence.
  public var reason: String

  init(_ reason: String) {
    self.reason = reason
  }

  init(_ name: String, _ error: CBORError) {
    reason = "\(name) is malformed: \(error.reason)."
  }
}

/// The reason why bytes are no CBOR (RFC 8949) that this library takes.
package enum CBORError: Error, Sendable, Equatable {
  case truncated, reservedLength, unexpectedBreak, badSimpleValue, badChunk, tooDeep
  case duplicateKey, notUTF8, leftOver, wrongType

  /// One clause for people, to follow "since" or a colon.
  package var reason: String {
    switch self {
    case .truncated: "the CBOR ends too soon"
    case .reservedLength: "a CBOR length is of a reserved form"
    case .unexpectedBreak: "a CBOR break is in a wrong place"
    case .badSimpleValue: "a CBOR simple value is not well-formed"
    case .badChunk: "a chunk of a CBOR string is not well-formed"
    case .tooDeep: "the CBOR is nested more than \(CBORReader.nestingLimit) deep"
    case .duplicateKey: "a CBOR map contains one key twice"
    case .notUTF8: "a CBOR text is not UTF-8"
    case .leftOver: "bytes are left over after the CBOR item"
    case .wrongType: "a CBOR item is of another type than expected"
    }
  }
}
