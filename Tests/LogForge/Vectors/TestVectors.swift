internal import Minting

/// A maker of test vectors for verifiers of App Attest, in the manner of Wycheproof. Everything in them
/// is synthetic and follows from the seed.
package struct TestVectors: Sendable {
  /// A file of the vectors.
  package struct File: Sendable {
    package let name: String
    package let bytes: [UInt8]
    /// The number of vectors in it.
    package let count: Int
  }

  private let seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// Writes the files into `folder`, which is made if it does not exist.
  package func write(to folder: String) throws(ForgeError) -> [File] {
    let files = files()
    try LogFile.makeFolder(folder, mayExist: true)
    for file in files { try LogFile(creating: folder + "/" + file.name).write(file.bytes) }
    return files
  }

  package func files() -> [File] {
    let world = VectorWorld(seed: seed)
    let attestations = file(
      "attestation", PackageResources.attestations_txt, world, AttestationTrial.mint)
    let assertions = file(
      "assertion", PackageResources.assertions_txt, world, AssertionTrial.mint)
    return [attestations, assertions, readme([attestations, assertions])]
  }

  private static let flags = DataTable.rows(PackageResources.flags_txt)

  private func file(
    _ kind: String, _ table: [UInt8], _ world: VectorWorld,
    _ mint: (VectorRow, VectorWorld) -> ([UInt8], VectorRequest)
  ) -> File {
    let groups = VectorGroup.groups(table)
    var count = 0
    var lines: [String] = []
    for group in groups {
      lines.append(
        "    {\"type\": \"AppAttest\(kind == "assertion" ? "Assertion" : "Attestation")\", \"comment\": \(quoted(group.subject)), \"tests\": ["
      )
      var tests: [String] = []
      for row in group.rows {
        count += 1
        let (token, request) = mint(row, world)
        tests.append(test(row, count, kind, token, request))
      }
      lines.append(tests.map { "      " + $0 }.joined(separator: ",\n"))
      lines.append("    ]}" + (group.subject == groups.last?.subject ? "" : ","))
    }
    let notes = Self.flags.map {
      "    \(quoted($0[0])): {\"policy\": \($0[1] == "yes"), \"description\": \(quoted($0[2]))}"
    }
    let text = """
      {
        "algorithm": "App Attest \(kind)",
        "generator": "attest-forge vectors --seed \(seed)",
        "numberOfTests": \(count),
        "header": [
          "Test vectors for verifiers of Apple App Attest. All keys, apps and certificates are synthetic.",
          "Judge certificates at the time of the vector, and trust only the root certificate of this file."
        ],
        "notes": {
      \(notes.joined(separator: ",\n"))
        },
        "rootCertificate": \(quoted(PEM.certificate(world.authority.root.certificate))),
        "receiptRootCertificate": \(quoted(PEM.certificate(world.authority.receiptRoot.certificate))),
        "testGroups": [
      \(lines.joined(separator: "\n"))
        ]
      }

      """
    return File(name: "app_attest_\(kind)_test.json", bytes: Array(text.utf8), count: count)
  }

  /// Returns one vector, on a line.
  private func test(
    _ row: VectorRow, _ number: Int, _ kind: String, _ token: [UInt8],
    _ request: VectorRequest
  ) -> String {
    var line = JSONLine()
    line.add("tcId", raw: String(number))
    line.add("comment", text: row.name)
    line.add("flags", raw: list(row.flags))
    line.add("token", ascii: TextCode.base64.encode(token))
    line.add("clientData", ascii: TextCode.base64.encode(request.clientData))
    line.add("clientDataHash", ascii: TextCode.base64.encode(request.clientDataHash))
    line.add("keyId", ascii: TextCode.base64.encode(request.keyID))
    if kind == "assertion" {
      line.add("publicKey", ascii: TextCode.base64.encode(request.publicKey))
      line.add("previousCounter", raw: String(request.previousCounter))
    }
    line.add("appId", text: request.appID)
    line.add("environment", text: request.isDevelopment ? "development" : "production")
    line.add("time", text: CalendarTime.rfc3339(request.time))
    line.add("policy", object: policy(request.policy, kind))
    line.add("result", text: String(row.result))
    line.add("codes", raw: list(row.reasons.compactMap(\.code)))
    line.add("reason", text: row.reasons.map(\.text).joined(separator: " "))
    line.add("rules", raw: list(row.reasons.flatMap(\.rules).unique))
    return String(decoding: line.bytes(spaced: true), as: UTF8.self)
  }

  private func policy(_ policy: VectorPolicy, _ kind: String) -> JSONLine {
    var line = JSONLine()
    line.add("categories", raw: list(policy.categories))
    line.add("bundleVersions", raw: list(policy.bundleVersions))
    line.add(
      "codeHashes",
      raw: list(policy.codeHashes.map { String(decoding: TextCode.hex.encode($0), as: UTF8.self) }))
    line.add("requires", raw: list(policy.requires))
    guard kind == "attestation" else { return line }
    line.add("receipts", text: policy.receipts)
    line.add("macOSAccessControl", text: policy.macOSAccessControl)
    line.add("attestationMaxAgeSeconds", raw: String(policy.attestationMaxAge))
    return line
  }

  private func list(_ texts: [String]) -> String {
    "[" + texts.map(quoted).joined(separator: ", ") + "]"
  }

  private func quoted(_ text: some StringProtocol) -> String {
    String(decoding: JSONLine.quoted(Array(text.utf8)), as: UTF8.self)
  }

  private func readme(_ files: [File]) -> File {
    let text = String(decoding: PackageResources.vectors_md, as: UTF8.self)
      .replacing("{seed}", with: "\(seed)")
      .replacing(
        "{files}",
        with: files.map { "| `\($0.name)` | \($0.count) |" }.joined(separator: "\n")
      )
      .replacing(
        "{flags}",
        with: Self.flags.map { "| `\($0[0])` | \($0[1]) | \($0[2]) |" }.joined(separator: "\n"))
    return File(name: "README.md", bytes: Array(text.utf8), count: 0)
  }
}

extension [String] {
  /// The elements without repetitions, in their order.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
