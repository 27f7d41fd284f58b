import Minting
import SignatureBatch
import Testing

/// A curve in one arithmetic: what there is to test.
struct TestEngine: Sendable, CustomTestStringConvertible {
  var curve: SignatureCurve
  var arithmetic: BatchArithmetic

  /// Those that can run here.
  static let supported = SignatureCurve.allCases.flatMap { curve in
    BatchArithmetic.allCases.filter(\.isSupported).map { TestEngine(curve: curve, arithmetic: $0) }
  }

  var testDescription: String { "\(curve), \(arithmetic)" }

  /// Makes tables of G. They are small, since tests make them often.
  func tables(width: Int = 6) throws -> BaseTables {
    try #require(BaseTables(curve: curve, arithmetic: arithmetic, width: width))
  }

  /// Makes a verifier with the least memory for any keys.
  func verifier(width: Int = 6) throws -> BatchVerifier {
    let tables = try tables(width: width)
    let verifier = BatchVerifier(
      tables: tables, arenaBytes: tables.leastArenaBytesForKeys)
    guard let verifier else { throw OutOfMemory() }
    return verifier
  }

  /// The methods that tests run: every one, or a quick choice where C is compiled without
  /// optimization.
  var methods: [KeyMethod] {
    #if DEBUG
      if arithmetic == .emulated { return [.automatic, .table(width: 3)] }
      return [
        .automatic, .buckets, .doublings, .table(width: 3), .table(width: 4), .table(width: 6),
      ]
    #else
      return [.automatic] + KeyMethod.all
    #endif
  }
}

struct OutOfMemory: Error {}

/// Keys and signatures as `BatchVerifier` takes them, with OpenSSL's verdicts.
struct TestBatch {
  let curve: SignatureCurve
  var keys: [UInt8] = []
  var counts: [UInt32] = []
  var signatures: [UInt8] = []
  /// OpenSSL's verdicts: true if it takes the signature for valid, in the order of the
  /// signatures.
  var expected: [Bool] = []
  /// Whether the signature's key is on the curve, in the order of the signatures.
  var hasKey: [Bool] = []

  /// Signatures from which on a verifier with the least arena makes as many additions at once as it
  /// can.
  static let filled = 512

  private let oracle: ECDSAOracle
  private var key: ECDSAOracle.Key?

  init(_ curve: SignatureCurve) {
    self.curve = curve
    oracle = ECDSAOracle(curve == .p256 ? .p256 : .p384)
  }

  /// Starts a key of `keyBytes`; what is added next belongs to it.
  mutating func add(key bytes: [UInt8]) {
    precondition(bytes.count == curve.keyBytes)
    keys += bytes
    counts.append(0)
    key = oracle.key(point: [4] + bytes)
  }

  /// Adds a signature of three numbers, and asks OpenSSL for its verdict.
  mutating func add(r: [UInt8], s: [UInt8], digest: [UInt8]) {
    let isValid = key.map { oracle.holds(MintedSignature(r: r, s: s), digest: digest, key: $0) }
    add(r + s + digest, isValid: isValid ?? false)
  }

  private mutating func add(_ bytes: [UInt8], isValid: Bool) {
    precondition(bytes.count == curve.signatureBytes)
    counts[counts.count - 1] += 1
    signatures += bytes
    hasKey.append(key != nil)
    expected.append(isValid)
  }

  /// Adds the last signature so often again that no batch is dealt to groups of additions: up to
  /// ``filled`` in all.
  mutating func fill() {
    let last = Array(signatures.suffix(curve.signatureBytes))
    let isValid = expected.last == true
    while expected.count < Self.filled { add(last, isValid: isValid) }
  }

  /// Returns the verdicts of a verifier.
  func verdicts(
    _ verifier: inout BatchVerifier, method: KeyMethod = .automatic
  ) -> [BatchVerdict] {
    var raw = [UInt8](repeating: 0xEE, count: expected.count)
    var span = raw.mutableSpan
    verifier.verify(
      keys: keys.span, counts: counts.span, signatures: signatures.span, verdicts: &span,
      method: method)
    return raw.map { BatchVerdict(rawValue: $0)! }
  }

  /// Checks that a verifier decides as OpenSSL does, or not at all. Returns the number of
  /// signatures of good keys that it left undecided.
  @discardableResult
  func check(
    _ verifier: inout BatchVerifier, method: KeyMethod = .automatic,
    _ comment: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) -> Int {
    check(
      verdicts(&verifier, method: method), from: 0, "\(method) \(comment())",
      sourceLocation: sourceLocation)
  }

  /// Checks the same by tables of the keys, for at most `most` of the keys that have signatures.
  @discardableResult
  func checkByTables(
    _ verifier: inout BatchVerifier, _ base: BaseTables, width: Int = 5, most: Int = 4,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Int {
    var undecided = 0
    var first = 0
    var checked = 0
    for (index, count) in counts.enumerated() where count > 0 {
      defer { first += Int(count) }
      let bytes = Array(keys[index * curve.keyBytes..<(index + 1) * curve.keyBytes])
      guard checked < most else { break }
      checked += 1
      guard let key = KeyTables(of: bytes.span, for: base, width: width) else {
        #expect(!hasKey[first], sourceLocation: sourceLocation)
        continue
      }
      let length = curve.signatureBytes
      let part = Array(signatures[first * length..<(first + Int(count)) * length])
      var raw = [UInt8](repeating: 0xEE, count: Int(count))
      var span = raw.mutableSpan
      verifier.verify(by: key, signatures: part.span, verdicts: &span)
      undecided += check(
        raw.map { BatchVerdict(rawValue: $0)! }, from: first, "tables",
        sourceLocation: sourceLocation)
    }
    return undecided
  }

  private func check(
    _ verdicts: [BatchVerdict], from first: Int, _ comment: @autoclosure () -> String,
    sourceLocation: SourceLocation
  ) -> Int {
    var undecided = 0
    var wrong: [Int] = []
    for (index, verdict) in zip(first..., verdicts) {
      if verdict == .undecided {
        if hasKey[index] { undecided += 1 }
      } else if (verdict == .valid) != expected[index] || (verdict == .valid && !hasKey[index]) {
        wrong.append(index)
      }
    }
    #expect(
      wrong.isEmpty, "\(comment()): \(wrong.prefix(5)) of \(verdicts.count)",
      sourceLocation: sourceLocation)
    return undecided
  }
}
