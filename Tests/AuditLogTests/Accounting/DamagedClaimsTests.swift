import Testing

@testable import AuditLog

@Suite struct `Damaged claims` {
  /// Looks at files, each of which has some of the lines of damaged inputs; returns what each has in the end,
  /// and how often it was looked at.
  private func settle(
    _ claims: inout DamagedClaims, _ files: [Int: [UInt32: Int]]
  ) -> (had: [Int: [UInt32: Int]], looks: [Int: Int]) {
    var looks: [Int: Int] = [:]
    let indices = files.keys.sorted()
    let found = claims.settled(at: indices) { indices, left -> [[UInt32: Int]?] in
      indices.map { index in
        looks[index, default: 0] += 1
        return files[index].map { $0.filter { !(left[index] ?? []).contains($0.key) } }
      }
    } claims: {
      $0 ?? [:]
    }
    return (Dictionary(uniqueKeysWithValues: zip(indices, found.map { $0 ?? [:] })), looks)
  }

  @Test func `the file with the most lines keeps a damaged input, the first of several`() {
    var claims = DamagedClaims()
    let (had, looks) = settle(&claims, [0: [7: 10], 1: [7: 12], 2: [7: 12], 3: [8: 1], 4: [:]])
    #expect(had == [0: [:], 1: [7: 12], 2: [:], 3: [8: 1], 4: [:]])
    #expect(looks == [0: 2, 1: 1, 2: 2, 3: 1, 4: 1])
  }

  @Test func `a file keeps what no other has more of`() {
    var claims = DamagedClaims()
    let (had, _) = settle(&claims, [0: [1: 5, 2: 1], 1: [1: 3, 2: 4]])
    #expect(had == [0: [1: 5], 1: [2: 4]])
  }

  @Test func `what a file has is left by all that come later`() {
    var claims = DamagedClaims()
    _ = settle(&claims, [0: [1: 5]])
    let (had, looks) = settle(&claims, [1: [1: 50], 2: [3: 2]])
    #expect(had == [1: [:], 2: [3: 2]] && looks == [1: 1, 2: 1])
  }

  @Test func `a file without lines may have an input, too`() {
    var claims = DamagedClaims()
    #expect(settle(&claims, [0: [1: 0], 1: [1: 0]]).had == [0: [1: 0], 1: [:]])
  }
}
