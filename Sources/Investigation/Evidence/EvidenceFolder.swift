internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import AuditReport
package import AuditSettings
internal import Basics
internal import Files
internal import OpenSSL

/// A folder of evidence while it is written. It has another name until it is complete, or it is removed.
package struct EvidenceFolder {
  private let parent: Folder
  private let name: String
  /// The name until then, and the path.
  private let partial: String
  private let path: String
  private let report: StoredReport
  private var files: [File] = []
  /// The README's sections about lines, and its items about those that were not found.
  private var sections = ""
  private var missing: [String] = []
  /// A sentence in plain words on each finding, and before them on each file of the report that was changed.
  private var sentences: [String]

  /// Makes the folder. It must not exist yet.
  package init(path: String, _ explainer: Explainer) throws(CommandError) {
    let (folder, name) = PathText.split(path)
    (parent, self.name) = (Folder(path: folder), name)
    partial = TemporaryName.partial(name)
    self.path = PathText.join(folder, partial)
    report = explainer.report
    sentences = explainer.complaints.map { "The report was changed after the audit: \($0)." }
    try CommandError.require(
      FileStatus(path: path, followsLinks: false) == nil, "\(path) exists already",
      hint: "name a folder that does not exist", status: .cannotWrite)
    abandon()
    let made = self.path
    try Self.wrapped { () throws(AuditError) in try Folder.makeAll(made, mode: 0o777) }
  }

  package func abandon() { try? parent.removeTree(partial) }

  package var gaps: Int { missing.count }

  private struct File: Encodable {
    let name: String
    let size: Int
    let sha256: String
  }

  // MARK: Files

  package mutating func write(_ bytes: [UInt8], to name: String) throws(CommandError) {
    let (folder, last) = PathText.split("\(path)/\(name)")
    try Self.wrapped { () throws(AuditError) in
      try Folder.makeAll(folder, mode: 0o777)
      try Folder(path: folder).create(last, mode: 0o666, existing: .refused).append(bytes.span)
    }
    files.append(File(name: name, size: bytes.count, sha256: Digest256.sha256(bytes.span).hex))
  }

  package mutating func write(_ text: String, to name: String) throws(CommandError) {
    try write(Array(text.utf8), to: name)
  }

  /// Writes the evidence of a finding. `inspection` returns the inspection of a line as text.
  package mutating func add(
    _ explanation: Explanation, attestation: Explanation.Evidence?, text: String,
    inspection: (Inspection) -> String
  ) throws {
    let folder = Fingerprint.text(explanation.finding.finding.fingerprint)
    try write(explanation.row, to: "\(folder)/finding.json")
    try write(text, to: "\(folder)/explanation.txt")
    sentences.append("\(explanation.conclusion) \(explanation.entry.meaning) \(explanation.facts)")
    let places = [
      ("line", explanation.evidence), ("earlier", explanation.related),
      ("attestation", attestation),
    ]
    for (name, evidence) in places {
      guard let evidence else { continue }
      try write(evidence, in: "\(folder)/\(name)", inspection)
    }
  }

  private mutating func write(
    _ evidence: Explanation.Evidence, in folder: String, _ inspection: (Inspection) -> String
  ) throws {
    try write(JSONText.pretty(members: evidence.place), to: "\(folder)/place.json")
    if let gap = EvidenceReadme.gap(evidence, in: folder) { missing.append(gap) }
    sections += EvidenceReadme.block("place", ["folder": folder])
    if let line = evidence.found {
      try write(line.bytes, to: "\(folder)/line.jsonl")
      sections += EvidenceReadme.line(line, of: evidence, in: folder)
    }
    if let facts = evidence.inspection {
      try write(inspection(facts), to: "\(folder)/inspection.txt")
      try write(JSONText.pretty(facts), to: "\(folder)/inspection.json")
    }
    guard let record = evidence.record else { return }
    try write(record.clientDataHash, to: "\(folder)/clientDataHash.bin")
    if let data = record.clientData {
      try write(data, to: "\(folder)/clientData.bin")
      if !record.clientDataIsHash {
        sections += EvidenceReadme.block("client data", ["folder": folder])
      }
    }
    guard record.kind != .challenge else { return }
    try write(record.token, to: "\(folder)/token.cbor")
    if record.kind == .attestation, let object = try? AttestationObject.parse(record.token.span) {
      try write(object, of: record, evidence, in: folder)
    } else if record.kind == .assertion, let assertion = try? Assertion.parse(record.token.span) {
      try write(assertion, of: record, evidence, in: folder)
    }
  }

  private mutating func write(
    _ object: AttestationObject, of record: DecodedRecord, _ evidence: Explanation.Evidence,
    in folder: String
  ) throws(CommandError) {
    try write(object.authData, to: "\(folder)/authData.bin")
    try write(object.receipt, to: "\(folder)/receipt.der")
    for (index, certificate) in object.x5c.enumerated() {
      try write(certificate.der, to: "\(folder)/x5c-\(index).der")
      try write(Base64Text.pem("CERTIFICATE", certificate.der), to: "\(folder)/x5c-\(index).pem")
    }
    let nonce = Digest256.sha256(object.authData.span, record.clientDataHash.span)
    let isStated = object.leafNonce == nonce
    // The audit's own checks of the chain.
    let chains = !(evidence.inspection?.failures ?? []).contains {
      ["attestation.chain_untrusted", "attestation.certificate_time"].contains($0.code)
    }
    let others = (1..<max(1, object.x5c.count)).map { " -untrusted \(folder)/x5c-\($0).pem" }
    sections += EvidenceReadme.block(
      "attestation",
      [
        "folder": folder, "nonce": nonce.hex, "count": isStated ? "1" : "0",
        "stated": isStated ? ", and the leaf states it" : "; the leaf states another one",
        "chain": chains ? "chain" : "do not chain", "valid": chains ? "valid" : "invalid",
        "seconds": "\(Int64((Double(record.time) / 1000).rounded(.down)))",
        "others": others.joined(),
      ])
  }

  private mutating func write(
    _ assertion: Assertion, of record: DecodedRecord, _ evidence: Explanation.Evidence,
    in folder: String
  ) throws(CommandError) {
    let token = record.token
    let data = assertion.withAuthenticatorData(in: token.span) { $0.copied() }
    let signature = assertion.withSignature(in: token.span) { $0.copied() }
    try write(data, to: "\(folder)/authenticatorData.bin")
    try write(signature, to: "\(folder)/signature.der")
    let digest = assertion.digest(in: token.span, clientDataHash: record.clientDataHash.span)
    var point = evidence.publicKey
    if point == nil, let key = record.keyID {
      // The key that made the signature is the one that hashes to the key identifier.
      point = P256Recovery.keys(digest: digest.bytes, signatureDER: signature).first {
        Digest256.sha256($0.span) == key
      }
    }
    guard let point, let key = P256PublicKey(point: point) else {
      sections += EvidenceReadme.block("no key", [:])
      return
    }
    try write(Base64Text.pem(point: point), to: "\(folder)/publicKey.pem")
    let isValid = P256Verifier().verify(
      digest: digest.bytes.span, signatureDER: signature.span, key: key)
    sections += EvidenceReadme.block(
      "assertion",
      [
        "folder": folder, "counter": "\(assertion.counter)",
        "key": Digest256.sha256(point.span).hex, "valid": isValid ? "valid" : "invalid",
        "verified": isValid ? "Verified OK" : "Verification failure",
      ])
  }

  // MARK: The end

  /// Writes the files that are the same for all findings, the README and the manifest, and gives the folder its name.
  package mutating func finish() throws {
    for name in ["summary.json", "manifest.json"] {
      try write(try report.bytes(of: name), to: "report/\(name)")
    }
    let settings = try report.recordedSettings
    for (name, anchors) in [
      ("anchors.pem", settings.trustAnchors), ("receiptAnchors.pem", settings.receiptAnchors),
    ] {
      let texts = anchors.compactMap(KeyTexts.hex).map { Base64Text.pem("CERTIFICATE", $0) }
      try write(texts.joined(), to: name)
    }
    if let schema = settings.schemaText { try write(schema, to: "schema.yaml") }
    try write(EvidenceReadme.head(report, sentences, gaps: missing) + sections, to: "README.md")
    let listed = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    try write(
      JSONText.pretty(members: [
        "tool": "\(Tool.name) \(Tool.version)", "report": report.path,
        "reportTool": report.summary.tool, "run": report.summary.run, "files": listed,
      ]), to: "manifest.json")
    let sums = files.map { "\($0.sha256)  \($0.name)\n" }.sorted().joined()
    try write(sums, to: "SHA256SUMS")
    try Self.wrapped { () throws(AuditError) in try parent.rename(partial, to: name) }
  }

  private static func wrapped(_ body: () throws(AuditError) -> Void) throws(CommandError) {
    do throws(AuditError) { try body() } catch {
      throw CommandError(.cannotWrite, error.context)
    }
  }
}

extension Explanation.Evidence {
  fileprivate var place: [String: (any Encodable)?] {
    [
      "source": source, "path": path, "line": line, "byteOffset": found?.byteOffset,
      "length": found?.bytes.count,
      "isWholeLine": found.map { !$0.isHead && $0.state != .cut },
      "lineSHA256": found?.sha256.hex, "frameOffset": found?.frameOffset,
      "frameContentOffset": found?.frameContentOffset, "fileSHA256": sha256,
      "reportedSHA256": reportedSHA256, "fileState": "\(state)", "damage": damage.map(\.detail),
    ]
  }
}

extension Base64Text {
  /// Returns an X9.62 point as PEM of DER SubjectPublicKeyInfo (RFC 5480).
  fileprivate static func pem(point: [UInt8]) -> String {
    let head: [UInt8] = [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
      0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    return pem("PUBLIC KEY", head + point)
  }
}
