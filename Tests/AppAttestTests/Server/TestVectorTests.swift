import AppAttest
import Foundation
import LogForge
import TestSupport
import Testing

/// The vectors that `attest-forge vectors` writes for other verifiers, judged by this library. A vector
/// with several faults has all of their codes (`verification.R1`).
struct TestVectorTests {
  private struct File: Decodable {
    struct Group: Decodable { var tests: [Vector] }
    struct Note: Decodable { var policy: Bool }

    var numberOfTests: Int
    var notes: [String: Note]
    var rootCertificate: String
    var receiptRootCertificate: String
    var testGroups: [Group]

    var vectors: [Vector] { testGroups.flatMap(\.tests) }
  }

  private struct Vector: Decodable {
    struct Policy: Decodable {
      var categories, bundleVersions, codeHashes, requires: [String]
      var receipts, macOSAccessControl: String?
      var attestationMaxAgeSeconds: Int64?
    }

    var tcId: Int
    var comment: String
    var flags: [String]
    var token, clientData, clientDataHash, keyId: Data
    var publicKey: Data?
    var previousCounter: UInt32?
    var appId, environment, time: String
    var policy: Policy
    var result, reason: String
    var codes, rules: [String]

    var hash: [UInt8] { Digest256.sha256(Array(clientData).span).bytes }
    var statedHash: [String] {
      Array(clientDataHash) == hash ? [] : ["record.client_data_hash_mismatch"]
    }

    func app() throws -> AppPolicy {
      AppPolicy(
        id: appId, environments: [environment == "production" ? .production : .development],
        categories: Set(try policy.categories.map { try #require(ValidationCategory(name: $0)) }),
        bundleVersions: Set(policy.bundleVersions),
        codeHashes: try policy.codeHashes.map { try #require(CodeHash(hex: $0)) },
        requires: Set(try policy.requires.map { try #require(SignedValue(rawValue: $0)) }))
    }
  }

  private static let written = made { TestVectors(seed: 1).files() }

  private static let files: [File] = made {
    try written.filter { $0.name.hasSuffix(".json") }.map {
      try JSONDecoder().decode(File.self, from: Data($0.bytes))
    }
  }

  private static func der(_ pem: String) throws -> [UInt8] {
    let text = pem.split(separator: "\n").dropFirst().dropLast().joined()
    return Array(try #require(Data(base64Encoded: text)))
  }

  private static func codes(_ vector: Vector, in file: File) throws -> [String] {
    try vector.publicKey == nil ? attestation(vector, in: file) : assertion(vector)
  }

  private static func attestation(_ vector: Vector, in file: File) throws -> [String] {
    let verifier = try AttestationVerifier(
      apps: ConfiguredApps([vector.app()]), trustAnchors: [der(file.rootCertificate)],
      receiptAnchors: [der(file.receiptRootCertificate)],
      receipts: try #require(vector.policy.receipts.flatMap { ReceiptPolicy(rawValue: $0) }),
      macOSAccessControl: try #require(
        vector.policy.macOSAccessControl.flatMap { MacOSAccessControlPolicy(rawValue: $0) }),
      attestationMaxAge: try #require(vector.policy.attestationMaxAgeSeconds) * 1000)
    let time = VectorFile.date(vector.time).timeIntervalSince1970 * 1000
    let judgement = verifier.judge(
      token: Array(vector.token).span,
      keyIdentifier: try #require(Digest256(Array(vector.keyId))), clientDataHash: vector.hash.span,
      appID: vector.appId, time: Int64(time.rounded()))
    guard let checks = judgement.checks else { return ["attestation.malformed"] }
    return checks.map { check in
      let words = "\(check)".replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }
        .replacing(/([A-Z])([A-Z][a-z])/) { "\($0.1)_\($0.2)" }
      return "attestation.\(words.lowercased())"
    }
  }

  private static func assertion(_ vector: Vector) throws -> [String] {
    let previous = try #require(vector.previousCounter)
    let verifier = try #require(
      AssertionVerifier(publicKey: Array(vector.publicKey!), app: vector.app()))
    let judgement = verifier.judge(
      token: Array(vector.token).span, clientDataHash: vector.hash.span,
      counters: CounterPolicy(above: previous))
    guard case .judged(let judged) = judgement else { return ["assertion.malformed"] }
    return judged.failures.map { failure in
      switch failure.check {
      case .category: "assertion.category_mismatch"
      case .code: "assertion.code_mismatch"
      case .appID: "assertion.app_id_mismatch"
      case .signature: "assertion.signature_invalid"
      case .counter:
        judged.counter == previous && previous > 0 ? "counter.repeated" : "counter.regression"
      }
    }
  }

  @Test(arguments: [0, 1]) func `the library agrees with the result and the codes of every vector`(
    index: Int
  ) throws {
    let file = Self.files[index]
    for vector in file.vectors {
      let codes = try Self.codes(vector, in: file) + vector.statedHash
      #expect(Set(codes) == Set(vector.codes), "\(vector.tcId): \(vector.comment)")
      #expect(
        vector.result == "acceptable" || (vector.result == "valid") == codes.isEmpty,
        "\(vector.tcId): \(vector.comment)")
    }
  }

  @Test func `there are at least 300 vectors, with numbers, names and flags`() {
    #expect(Self.files.reduce(0) { $0 + $1.vectors.count } >= 300)
    for file in Self.files {
      #expect(file.vectors.map(\.tcId) == Array(1...file.numberOfTests))
      #expect(Set(file.vectors.map(\.comment)).count == file.numberOfTests)
      for vector in file.vectors {
        #expect(vector.flags.allSatisfy { file.notes[$0] != nil }, "\(vector.comment)")
        // Only a matter of policy leaves a verifier the choice.
        #expect(
          vector.result != "acceptable" || vector.flags.contains { file.notes[$0]?.policy == true },
          "\(vector.comment)")
        #expect(!vector.reason.isEmpty && !vector.rules.isEmpty, "\(vector.comment)")
      }
    }
    let flags = Set(Self.files.flatMap { $0.vectors.flatMap(\.flags) })
    #expect(flags == Set(Self.files[0].notes.keys))
  }

  @Test func `every rule of verification that is a check is in a vector`() throws {
    var checks = Set([3, 18, 19, 28, 29, 30, 31, 32, 33, 34, 39, 40, 41, 43] + Array(4...17))
    checks.formUnion([24, 25, 26, 27, 36, 37, 38])
    // Each row of a table is a check.
    let page = Repository.shared.appending(path: "spec/verification.md")
    if let text = try? String(contentsOf: page, encoding: .utf8) {
      let rows = text.matches(of: /\n\| <a id="verification.R([0-9]+)"/).compactMap { Int($0.1) }
      #expect(rows.count >= 20)
      checks.formUnion(rows)
    }
    let rules = Set(Self.files.flatMap { $0.vectors.flatMap(\.rules) })
    for check in checks { #expect(rules.contains("verification.R\(check)"), "R\(check)") }
  }

  @Test func `the documentation lists the flags`() throws {
    let readme = try #require(Self.written.last)
    let page = try String(
      contentsOf: Repository.folder.appending(
        path: "Sources/attest-audit/Documentation.docc/TestVectors.md"), encoding: .utf8)
    let text = String(decoding: readme.bytes, as: UTF8.self)
    let table = try #require(text.range(of: "| flag |"))
    #expect(page.contains(text[table.lowerBound...]))
  }

  @Test func `a seed gives the same bytes again, and another seed gives other tokens`() throws {
    #expect(TestVectors(seed: 1).files().map(\.bytes) == Self.written.map(\.bytes))
    let other = try TestVectors(seed: 2).files().prefix(2)
      .map { try JSONDecoder().decode(File.self, from: Data($0.bytes)) }
    for (file, others) in zip(Self.files, other) {
      let keys = Set(file.vectors.map(\.keyId))
      #expect(keys.isDisjoint(with: others.vectors.map(\.keyId)))
      for vector in others.vectors {
        #expect(
          try Set(Self.codes(vector, in: others) + vector.statedHash) == Set(vector.codes),
          "\(vector.tcId): \(vector.comment)")
      }
    }
  }
}
