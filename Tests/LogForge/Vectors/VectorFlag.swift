/// A mark of vectors that have a property in common, so that a user can leave them out.
enum VectorFlag: String, CaseIterable, Sendable {
  case accessControl = "AccessControl"
  case appClip = "AppClip"
  case bundleVersion = "BundleVersion"
  case category = "Category"
  case cborForm = "CborForm"
  case cborTag = "CborTag"
  case codeHash = "CodeHash"
  case coseKey = "CoseKey"
  case duplicateKey = "DuplicateKey"
  case extraCertificate = "ExtraCertificate"
  case genuine = "Genuine"
  case limit = "Limit"
  case receipt = "Receipt"
  case signatureForm = "SignatureForm"
  case signedTime = "SignedTime"
  case statedHash = "StatedHash"
  case unread = "Unread"

  /// Whether Apple's steps and the RFCs leave the decision to the server: it depends on `policy`, or on
  /// the verifier's choice.
  var isPolicy: Bool {
    switch self {
    case .appClip, .genuine, .signatureForm: false
    default: true
    }
  }

  var description: String {
    switch self {
    case .accessControl:
      "The key of a Mac. Apple: trust only the access control of System Integrity Protection and Full "
        + "Security. Leave these out if your app has no Mac users."
    case .appClip: "A request of an App Clip. Its token has the App ID of the full app."
    case .bundleVersion:
      "policy.bundleVersions or policy.requires decides. Leave these out if you do not compare versions."
    case .category:
      "policy.categories or policy.requires decides. Apple: category 0 is invalid; 7, 8 and 9 are not "
        + "appropriate."
    case .cborForm:
      "CBOR that RFC 8949 allows and that Apple's devices do not write. A verifier can refuse it."
    case .cborTag:
      "Tags before the outermost map. A verifier can skip them or refuse the token."
    case .codeHash:
      "policy.codeHashes or policy.requires decides. Leave these out if you list no code hashes."
    case .coseKey:
      "Only the COSE key in authData is wrong or unusual. Apple's steps take the key from the leaf. Your "
        + "verifier must refuse those with codes if it stores the COSE key."
    case .duplicateKey:
      "A CBOR map with a duplicate key: RFC 8949 calls it invalid. Many decoders keep one of the values."
    case .extraCertificate:
      "x5c has more than the leaf and the intermediate. A verifier can refuse it."
    case .genuine:
      "A form that genuine devices write, or a harmless variant of one. Verifiers have refused some by "
        + "mistake."
    case .limit: "A token of unusual size or depth. A verifier can refuse it."
    case .receipt:
      "The receipt decides, as policy.receipts says. Apple's steps do not verify it. Leave these out if you "
        + "do not verify receipts."
    case .signatureForm:
      "The encoding of the signature is not DER, or its numbers are wrong."
    case .signedTime:
      "The time of the vector differs from Apple's signed time of the attestation. Apple's steps do not "
        + "compare them."
    case .statedHash:
      "clientDataHash is not the hash of clientData. Your server must hash clientData and ignore the stated "
        + "hash."
    case .unread:
      "Only bytes that Apple's steps do not read are wrong: the bytes after the COSE key or after byte 37. A "
        + "verifier that reads them must not crash."
    }
  }
}
