internal import COpenSSL

/// The search for a chain of several: OpenSSL takes the first of a name, and does not turn back.
struct ChainSearch {
  /// Signatures checked and chains verified before the search is given up. So few links have fewer than 10,000 paths.
  private static let stepLimit = 24

  private let leaf: Certificate
  private let others: [Certificate]
  private let anchors: [Certificate]
  private let seconds: Int64
  private(set) var steps = 0
  /// The links by child, then issuer: whether it issued the child, or nil if not examined.
  private var links: [[Bool?]]

  init(leaf: Certificate, others: [Certificate], anchors: [Certificate], seconds: Int64) {
    self.leaf = leaf
    self.others = others
    self.anchors = anchors
    self.seconds = seconds
    let row = [Bool?](repeating: nil, count: others.count + anchors.count)
    links = Array(repeating: row, count: others.count + 1)
  }

  /// Whether some certificate could have been issued by more than one of the others and anchors.
  var isAmbiguous: Bool {
    for child in 0...others.count {
      var issuers = 0
      for issuer in 0..<(others.count + anchors.count) where mayIssue(issuer, child) {
        issuers += 1
        if issuers > 1 { return true }
      }
    }
    return false
  }

  /// Returns the best verdict over all paths, or `verdict` where none is better.
  mutating func best(atLeast verdict: ChainVerdict) -> ChainVerdict {
    var best = verdict
    var path: [Int] = []
    descend(from: 0, path: &path, best: &best)
    return best
  }

  /// Goes on from a child: 0 is the leaf, the others follow.
  private mutating func descend(from child: Int, path: inout [Int], best: inout ChainVerdict) {
    for issuer in 0..<(others.count + anchors.count) {
      guard steps < Self.stepLimit, best != .trusted else { return }
      guard issuer >= others.count || !path.contains(issuer), hasIssued(issuer, child) else {
        continue
      }
      if issuer >= others.count {
        steps += 1
        let (verdict, _) = TrustStore.verifyOnce(
          leaf, others: path.map { others[$0] }, anchors: [anchors[issuer - others.count]],
          at: seconds)
        if verdict == .trusted || verdict == .timeOnly { best = verdict }
      } else {
        path.append(issuer)
        descend(from: issuer + 1, path: &path, best: &best)
        path.removeLast()
      }
    }
  }

  private func issuer(_ index: Int) -> Certificate {
    index < others.count ? others[index] : anchors[index - others.count]
  }

  private func child(_ index: Int) -> Certificate {
    index == 0 ? leaf : others[index - 1]
  }

  private func mayIssue(_ issuerIndex: Int, _ childIndex: Int) -> Bool {
    guard issuerIndex + 1 != childIndex else { return false }
    let result = unsafe attest_may_issue(issuer(issuerIndex).handle, child(childIndex).handle) == 1
    ErrorQueue.drain()
    return result
  }

  /// Returns whether the names fit and the signature is valid. Each two are examined once.
  private mutating func hasIssued(_ issuerIndex: Int, _ childIndex: Int) -> Bool {
    if let known = links[childIndex][issuerIndex] { return known }
    var result = mayIssue(issuerIndex, childIndex)
    if result {
      steps += 1
      result =
        unsafe attest_is_signed_by(child(childIndex).handle, issuer(issuerIndex).handle) == 1
      ErrorQueue.drain()
    }
    links[childIndex][issuerIndex] = result
    return result
  }
}
