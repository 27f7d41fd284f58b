internal import AppAttest
internal import AuditReport
internal import Basics
internal import Compression
internal import OpenSSL

/// The README of a folder of evidence: what each file is, and commands (`$ `) that verify it.
struct EvidenceReadme {
  /// The certificates and nonce of an attestation.
  struct Attestation {
    let certificates: Int
    let nonce: Digest256
    /// The nonce that the leaf certificate states.
    let stated: Digest256?
  }

  /// One line of a log.
  struct Part {
    let folder: String
    let evidence: Explanation.Evidence
    /// The time of the record, in milliseconds since 1970.
    var time: Int64 = 0
    /// Whether the clientDataHash is the SHA-256 of the client data.
    var hashIsDigest = false
    var attestation: Attestation?
    var isAssertion = false
    /// The sign counter of an assertion.
    var counter: UInt32?
    var keyHash: Digest256?
    var signatureHolds: Bool?
  }

  let report: StoredReport
  let parts: [Part]
  /// A sentence in plain words on each finding.
  let sentences: [String]
  let tool: String

  var text: String {
    var text = """
      # Evidence from an audit of App Attest logs

      \(Self.prose("Made by \(tool) from the report \(PrintableText.line(report.path, limit: 500)) (\(report.summary.tool), run \(report.summary.run))."))

      - `manifest.json` and `SHA256SUMS`: all files with their SHA-256.
      - `report/`: summary (settings, inputs with their SHA-256, tool) and manifest
        of the report.
      - `anchors.pem`, `receiptAnchors.pem`: the certificates that the audit trusted.
      - A folder for each finding: `finding.json` (its row in the report),
        `explanation.txt`, and a folder each for the line, for the earlier line that
        it refers to, and for the attestation that registered the key. In it:
        `line.jsonl` (the bytes of the line without its end), `place.json` (where it
        is), `inspection.txt` and `.json` (every check), and the parts of the token.

      The commands below need `sha256sum` and `openssl`; run them in this folder.
      The output follows each command.

      ## In plain words

      \(sentences.map { Self.prose($0) }.joined(separator: "\n\n"))

      ## Nothing was changed since

      ```
      $ sha256sum --quiet --check SHA256SUMS && echo unchanged
      unchanged
      ```

      \(Self.prose("Who could change a file here could change SHA256SUMS, too: keep its own SHA-256 (`sha256sum SHA256SUMS`) in another place."))

      """
    text += missing
    for part in parts { text += section(part) }
    return text
  }

  /// The section about lines that were not found, or nothing if all are here.
  private var missing: String {
    let gaps = parts.compactMap { part in
      part.evidence.gap.map { gap in
        let evidence = part.evidence
        let line = evidence.line > 0 ? "line \(evidence.line) of " : ""
        return Self.prose(
          "- `\(part.folder)`: \(line)\(PrintableText.line(evidence.source, limit: 500)), "
            + "SHA-256 `\(evidence.reportedSHA256 ?? "unknown")`: \(gap).", hang: 2) + "\n"
      }
    }
    guard !gaps.isEmpty else { return "" }
    return
      "\n## What is missing\n\nThis evidence is not complete. Name the folders of the logs with\n"
      + "`--logs`, and gather it again:\n\n" + gaps.joined()
  }

  /// Returns a paragraph in lines of at most 80 columns.
  private static func prose(_ text: String, hang: Int = 0) -> String {
    TextWrap.lines(text, hang: hang).joined(separator: "\n")
  }

  private func section(_ part: Part) -> String {
    var text = "\n## \(part.folder)\n"
    let evidence = part.evidence
    if let line = evidence.found {
      let name = "\(part.folder)/line.jsonl"
      text += block(
        "The line is the one whose SHA-256 is:",
        [("sha256sum \(name)", "\(line.sha256.hex)  \(name)")])
      text += fromLog(line, evidence)
    }
    if part.hashIsDigest {
      text += block(
        "The clientDataHash is the SHA-256 of the client data:",
        [
          (
            "openssl dgst -sha256 -binary \(part.folder)/clientData.bin | cmp - "
              + "\(part.folder)/clientDataHash.bin && echo equal", "equal"
          )
        ])
    }
    if part.isAssertion { text += assertion(part) }
    if let attestation = part.attestation { text += self.attestation(part, attestation) }
    return text
  }

  /// Returns the commands that find the line in its log.
  private func fromLog(_ line: FoundLine, _ evidence: Explanation.Evidence) -> String {
    guard let path = evidence.path else { return "" }
    let unpack = ContentDigests.format(path).command
    var text =
      evidence.reportedSHA256 == nil
      ? "\nThe log (here as LOG) had this SHA-256 when the evidence was gathered. The report\n"
        + "is of another night, and does not name it:\n"
      : "\nThe log, wherever it is (here as LOG), had the SHA-256\n"
    text += "`\(evidence.sha256 ?? "unknown")`.\n"
    if let sha256 = evidence.reportedSHA256, evidence.state == .same, sha256 != evidence.sha256,
      let unpack
    {
      text +=
        "Its content is what the audit read:\n\n```\n# \(unpack) LOG | sha256sum\n\(sha256)  -\n```\n"
    }
    let skip = line.byteOffset - line.frameContentOffset
    let tail = "head -c \(line.bytes.count) | sha256sum"
    let from = line.frameOffset.map { "tail -c +\($0 + 1) LOG | \(unpack ?? "")" }
    let command =
      unpack.map { "\(from ?? "\($0) LOG") 2>/dev/null | tail -c +\(skip + 1) | \(tail)" }
      ?? "tail -c +\(line.byteOffset + 1) LOG | \(tail)"
    return text + """
      The line lies at byte \(line.byteOffset) of the decompressed stream:

      ```
      # \(command)
      \(line.sha256.hex)  -
      ```

      """
  }

  private func assertion(_ part: Part) -> String {
    guard let keyHash = part.keyHash, let holds = part.signatureHolds else {
      return
        "\nThe public key of this assertion is not known, so that its signature cannot be verified.\n"
    }
    let folder = part.folder
    let counter = part.counter.map { "\($0)" } ?? ""
    return block(
      "The counter of the signature is in bytes 33 to 36 of the authenticator data:",
      [("od -An -tu4 --endian=big -j 33 -N 4 \(folder)/authenticatorData.bin | tr -d ' '", counter)]
    )
      + block(
        "The key identifier is the SHA-256 of the public key, and the signature over the nonce is "
          + (holds ? "valid:" : "invalid:"),
        [
          (
            "openssl pkey -pubin -in \(folder)/publicKey.pem -outform DER | tail -c 65 | sha256sum",
            "\(keyHash.hex)  -"
          ),
          (
            "cat \(folder)/authenticatorData.bin \(folder)/clientDataHash.bin"
              + " | openssl dgst -sha256 -binary"
              + " | openssl dgst -sha256 -verify \(folder)/publicKey.pem"
              + " -signature \(folder)/signature.der 2>/dev/null",
            holds ? "Verified OK" : "Verification failure"
          ),
        ])
  }

  private func attestation(_ part: Part, _ attestation: Attestation) -> String {
    let folder = part.folder
    let same = attestation.stated == attestation.nonce
    let others = (1..<max(1, attestation.certificates)).map {
      " -untrusted \(folder)/x5c-\($0).pem"
    }
    let seconds = Int64((Double(part.time) / 1000).rounded(.down))
    // The audit's own checks of the chain.
    let chains = !(part.evidence.inspection?.failures ?? []).contains {
      ["attestation.chain_untrusted", "attestation.certificate_time"].contains($0.code)
    }
    return block(
      "The nonce is the SHA-256 of authData and clientDataHash"
        + (same ? ", and the leaf states it:" : "; the leaf states another one:"),
      [
        (
          "cat \(folder)/authData.bin \(folder)/clientDataHash.bin | sha256sum",
          "\(attestation.nonce.hex)  -"
        ),
        (
          "openssl asn1parse -inform DER -in \(folder)/x5c-0.der"
            + " | grep -A2 'OBJECT *:1.2.840.113635.100.8.2$'"
            + " | grep -ic \(attestation.nonce.hex)", same ? "1" : "0"
        ),
      ])
      + block(
        "The certificates \(chains ? "chain" : "do not chain") to an anchor at the time of the record:",
        [
          (
            "openssl verify -partial_chain -attime \(seconds) -CAfile anchors.pem\(others.joined()) "
              + "\(folder)/x5c-0.pem > /dev/null 2>&1 && echo valid || echo invalid",
            chains ? "valid" : "invalid"
          )
        ])
  }

  private func block(_ words: String, _ commands: [(String, String)]) -> String {
    let lines = commands.map { "$ \($0)\n\($1)\n" }.joined()
    return "\n\(words)\n\n```\n\(lines)```\n"
  }
}
