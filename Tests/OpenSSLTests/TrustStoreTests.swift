import TestSupport
import Testing

@testable import OpenSSL

struct TrustStoreTests {
  private static let noon = seconds("2026-01-15T12:00:00Z")

  private func verdict(
    _ leaf: [UInt8], _ others: [[UInt8]] = [pki.intermediate],
    anchors: [[UInt8]] = [pki.root], at time: Int64 = noon
  ) throws -> ChainVerdict {
    try TrustStore(anchors: anchors).verify(
      Certificate(der: leaf), others: others.map { try Certificate(der: $0) }, at: time
    ).verdict
  }

  /// Returns the name of a verdict. One that is untrusted has a reason.
  private func name(_ verdict: ChainVerdict) -> String {
    guard case .untrusted(let reason) = verdict else { return "\(verdict)" }
    return reason.isEmpty ? "no reason" : "untrusted"
  }

  /// Leaves, further certificates, anchors and times: `Tests/Cases/chains.txt`.
  @Test(arguments: TextCase.read("chains")) func `a chain has the verdict of its row`(
    row: TextCase
  ) throws {
    for line in row.lines {
      let words = line.split(separator: " ").map(String.init)
      let parts = words.split(separator: "<").map { part in
        part.prefix { $0 != "@" }.filter { $0 != "-" }.map { MintedOnce.named("pki.\($0)") }
      }
      let time = words.contains("@") ? seconds(words[words.count - 1]) : Self.noon
      let verdict = try verdict(parts[0][0], parts[1], anchors: parts[2], at: time)
      #expect(name(verdict) == row.message, "\(line)")
    }
  }

  @Test(arguments: [Int64.min, -1, .max]) func `any time can be judged`(time: Int64) throws {
    #expect(try verdict(pki.leaf, at: time) == .timeOnly)
  }

  @Test func `names are constrained for each leaf, also where the chain is known`() throws {
    let store = try TrustStore(anchors: [pki.root])
    let others = [try Certificate(der: pki.constrainedCA)]
    let verdicts = try [pki.leafInside, pki.leafOutside].map { leaf in
      name(store.verify(try Certificate(der: leaf), others: others, at: Self.noon).verdict)
    }
    #expect(verdicts == ["trusted", "untrusted"])
  }

  @Test func `a crowd of certificates ends soon`() throws {
    let impostor = try Certificate(der: pki.impostorIntermediate)
    let intermediate = try Certificate(der: pki.intermediate)
    let leaf = try Certificate(der: pki.leaf)
    let store = try TrustStore(anchors: [pki.root])
    let crowd = Array(repeating: impostor, count: 500) + [intermediate]
    #expect(store.verify(leaf, others: crowd, at: Self.noon).verdict == .trusted)
  }

  @Test func `among certificates of one name and one key not every order is gone through`() throws {
    let others = try (0..<8).map { try Certificate(der: crowd[dynamicMember: "authority\($0)"]) }
    var search = ChainSearch(
      leaf: try Certificate(der: crowd.leaf), others: others,
      anchors: [try Certificate(der: pki.root)], seconds: Self.noon)
    #expect(search.isAmbiguous)
    let none = ChainVerdict.untrusted("no path")
    #expect(search.best(atLeast: none) == none)
    #expect(search.steps <= 24)
  }

  @Test func `an authority whose key makes verifying dear is left out`() throws {
    #expect(try !Certificate(der: rsa.dear).verifiesCheaply)
    for usual in [rsa.usual, pki.root, pki.leafP384] {
      #expect(try Certificate(der: usual).verifiesCheaply)
    }
    #expect(try verdict(pki.leaf, [rsa.dear, pki.intermediate]) == .trusted)
  }

  @Test func `anchors have to be certificates`() {
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [[]]) }
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [pki.root + [0]]) }
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [pki.compressedSPKI]) }
  }
}
