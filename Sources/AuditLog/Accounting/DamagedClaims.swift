/// The damaged inputs of earlier runs that have their whole copies among the files of a run. Each has one whole
/// copy: a line that was read of it is passed over in that file and in no other.
struct DamagedClaims {
  /// The sources of the damaged inputs that have theirs.
  private var taken: Set<UInt32> = []

  /// Looks at files until no two claim the same damaged input. The one with the most of its lines keeps it, the
  /// first of several with as many; the others are looked at again without it.
  ///
  /// - Parameters:
  ///   - look: Looks at files, each of which leaves some damaged inputs to others.
  ///   - claims: Returns the sources of the damaged inputs that a file claims, and the numbers of lines found
  ///     of each.
  mutating func settled<Look>(
    at indices: [Int],
    _ look: (_ indices: [Int], _ left: [Int: Set<UInt32>]) throws -> [Look?],
    claims: (Look?) -> [UInt32: Int]
  ) rethrows -> [Look?] {
    var left: [Int: Set<UInt32>] = [:]
    if !taken.isEmpty { for index in indices { left[index] = taken } }
    var looks = Dictionary(
      uniqueKeysWithValues: zip(indices, try look(indices, left)))
    while true {
      var best: [UInt32: (index: Int, found: Int)] = [:]
      for index in indices {
        for (source, found) in claims(looks[index] ?? nil)
        where found > best[source]?.found ?? -1 {
          best[source] = (index, found)
        }
      }
      let losers = indices.filter { index in
        claims(looks[index] ?? nil).keys.contains { best[$0]?.index != index }
      }
      guard !losers.isEmpty else {
        taken.formUnion(best.keys)
        return indices.map { looks[$0] ?? nil }
      }
      for index in losers {
        let others = best.filter { $0.value.index != index }.keys
        left[index, default: []].formUnion(others)
      }
      for (index, again) in zip(losers, try look(losers, left)) { looks[index] = again }
    }
  }
}
