import OpenSSL
import P256Batch
import Testing

/// Keys and signatures as `P256BatchVerifier` takes them, with OpenSSL's verdicts.
struct TestBatch {
  var keys: [UInt8] = []
  var counts: [UInt32] = []
  var signatures: [UInt8] = []
  /// Whether OpenSSL takes the signature for valid, in the order of the signatures.
  var expected: [Bool] = []
  /// Whether the signature's key is on the curve.
  var hasKey: [Bool] = []

  private var key: P256PublicKey?

  /// Starts a key of 64 bytes; what is added next belongs to it.
  mutating func add(key bytes: [UInt8]) {
    precondition(bytes.count == P256BatchVerifier.keyBytes)
    keys += bytes
    counts.append(0)
    key = P256PublicKey(point: [4] + bytes)
  }

  /// Adds a signature of three numbers of 32 bytes, and asks OpenSSL for its verdict.
  mutating func add(r: [UInt8], s: [UInt8], digest: [UInt8]) {
    precondition(r.count == 32 && s.count == 32 && digest.count == 32)
    counts[counts.count - 1] += 1
    signatures += r + s + digest
    hasKey.append(key != nil)
    guard let key else { return expected.append(false) }
    let encoded = Self.encode(r, s)
    expected.append(
      P256Verifier().verify(digest: digest.span, signatureDER: encoded.span, key: key))
  }

  /// DER of r and s as ECDSA-Sig-Value.
  static func encode(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
    func integer(_ number: [UInt8]) -> [UInt8] {
      var bytes = Array(number.drop { $0 == 0 })
      if bytes.isEmpty || bytes[0] >= 0x80 { bytes.insert(0, at: 0) }
      return [2, UInt8(bytes.count)] + bytes
    }
    let body = integer(r) + integer(s)
    return [0x30, UInt8(body.count)] + body
  }

  /// What a verifier says.
  func verdicts(
    _ verifier: inout P256BatchVerifier, method: P256Method = .automatic
  ) -> [P256Verdict] {
    var raw = [UInt8](repeating: 0xEE, count: expected.count)
    var span = raw.mutableSpan
    verifier.verify(
      keys: keys.span, counts: counts.span, signatures: signatures.span, verdicts: &span,
      method: method)
    return raw.map { P256Verdict(rawValue: $0)! }
  }

  /// Checks that a verifier decides as OpenSSL does, or not at all; returns how many signatures of
  /// good keys it left undecided.
  @discardableResult
  func check(
    _ verifier: inout P256BatchVerifier, method: P256Method = .automatic,
    _ comment: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) -> Int {
    let verdicts = verdicts(&verifier, method: method)
    var undecided = 0
    var wrong: [Int] = []
    for (index, verdict) in verdicts.enumerated() {
      if verdict == .undecided {
        if hasKey[index] { undecided += 1 }
      } else if (verdict == .valid) != expected[index] || (verdict == .valid && !hasKey[index]) {
        wrong.append(index)
      }
    }
    #expect(
      wrong.isEmpty, "\(method) \(comment()): \(wrong.prefix(5)) of \(verdicts.count)",
      sourceLocation: sourceLocation)
    return undecided
  }
}

extension P256Method {
  /// What tests of a kernel run: every method, or where C is compiled without optimization a choice
  /// that is quick.
  static func tested(_ kernel: P256Kernel) -> [P256Method] {
    #if DEBUG
      if kernel == .emulated { return [.automatic, .table(width: 3)] }
      return [.automatic, .buckets, .table(width: 3), .table(width: 4), .table(width: 6)]
    #else
      return [.automatic] + all
    #endif
  }
}

extension P256Kernel {
  /// The kernels that can run here.
  static let supported = allCases.filter(\.isSupported)

  /// A verifier of this kernel; small tables, which tests make often.
  func verifier(width: Int = 6, arenaBytes: Int? = nil) throws -> P256BatchVerifier {
    let tables = try #require(P256BatchTables(kernel: self, width: width))
    let verifier = P256BatchVerifier(tables: tables, arenaBytes: arenaBytes ?? leastArenaBytes)
    guard let verifier else { throw OutOfMemory() }
    return verifier
  }
}

struct OutOfMemory: Error {}
