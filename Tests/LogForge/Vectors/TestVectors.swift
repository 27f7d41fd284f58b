package import Minting

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
    let files: [File]
    do { files = try self.files() } catch { throw ForgeError(.minting(error), "vectors") }
    try LogFile.makeFolder(folder, mayExist: true)
    for file in files { try LogFile(creating: folder + "/" + file.name).write(file.bytes) }
    return files
  }

  /// Returns the files.
  package func files() throws(MintingError) -> [File] {
    let world = try VectorWorld(seed: seed)
    let attestations = try file("attestation", AttestationVectors.groups, world) {
      (row, world) throws(MintingError) in try AttestationTrial(row, world).minted()
    }
    let assertions = try file("assertion", AssertionVectors.groups, world) {
      (row, world) throws(MintingError) in try AssertionTrial(row, world).minted()
    }
    return [attestations, assertions, readme([attestations, assertions])]
  }

  private typealias Minted = (token: [UInt8], request: VectorRequest)

  private func file<Trial>(
    _ kind: String, _ groups: [VectorGroup<Trial>], _ world: VectorWorld,
    _ mint: (VectorRow<Trial>, VectorWorld) throws(MintingError) -> Minted
  ) throws(MintingError) -> File {
    var count = 0
    var lines: [String] = []
    for group in groups {
      lines.append(
        "    {\"type\": \"AppAttest\(kind == "assertion" ? "Assertion" : "Attestation")\", \"comment\": \(quoted(group.subject)), \"tests\": ["
      )
      var tests: [String] = []
      for row in group.rows {
        count += 1
        let (token, request) = try mint(row, world)
        tests.append(test(row, count, kind, token, request))
      }
      lines.append(tests.map { "      " + $0 }.joined(separator: ",\n"))
      lines.append("    ]}" + (group.subject == groups.last?.subject ? "" : ","))
    }
    let notes = VectorFlag.allCases.map {
      "    \(quoted($0.rawValue)): {\"policy\": \($0.isPolicy), \"description\": \(quoted($0.description))}"
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
  private func test<Trial>(
    _ row: VectorRow<Trial>, _ number: Int, _ kind: String, _ token: [UInt8],
    _ request: VectorRequest
  ) -> String {
    var line = JSONLine()
    line.add("tcId", raw: String(number))
    line.add("comment", text: row.name)
    line.add("flags", raw: list(row.flags.map(\.rawValue)))
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
    line.add("result", text: row.result.rawValue)
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

  private func quoted(_ text: String) -> String {
    String(decoding: JSONLine.quoted(Array(text.utf8)), as: UTF8.self)
  }

  private func readme(_ files: [File]) -> File {
    let flags = VectorFlag.allCases.map {
      "| `\($0.rawValue)` | \($0.isPolicy ? "yes" : "no") | \($0.description) |"
    }
    let text = """
      # Test vectors for Apple App Attest

      Made by `attest-forge vectors --seed \(seed)`. Everything is synthetic: no Apple key signed anything here. The same
      seed gives the same bytes.

      | file | vectors |
      |---|---|
      \(files.map { "| `\($0.name)` | \($0.count) |" }.joined(separator: "\n"))

      | member | meaning |
      |---|---|
      | `rootCertificate`, `receiptRootCertificate` | the only roots that your verifier trusts in the test, in PEM |
      | `token` | the attestation or the assertion, in base64 |
      | `clientData`, `clientDataHash` | the bytes that the server knows, and their SHA-256 as the client states it, in base64 |
      | `keyId`, `publicKey` | the key identifier, and for assertions the key as an X9.62 point, in base64 |
      | `previousCounter` | the counter of the key's last assertion, 0 if there was none |
      | `appId`, `environment`, `time` | the App ID and the environment of the server, and the time of the request |
      | `policy` | the server's rules on builds, receipts and Macs. An empty list of values allows all but the categories 0, 7, 8 and 9 |
      | `result` | `valid`: accept. `invalid`: refuse. `acceptable`: your verifier can choose |
      | `codes` | the failed checks of attest-audit, without `record.odd_encoding` |
      | `reason`, `rules` | the step of Apple's page or the section of an RFC, and the rules of attest-audit |
      | `flags` | properties of the vector, see below |

      A flag with *yes* depends on the policy of the server, or on a choice of the verifier.

      | flag | policy | meaning |
      |---|---|---|
      \(flags.joined(separator: "\n"))

      """
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
