/// The damaged inputs of earlier runs, of which files of a run are whole copies: each of one file alone. What
/// was read of it is read again in no other file by its leave.
struct DamagedClaims {
  /// The files that have them, by the numbers of the sources of the damaged inputs.
  private var owners: [UInt32: Int] = [:]

  /// Looks at files until no two have the same damaged input: the one with the most of its lines keeps it, the
  /// first of several with as many.
  ///
  /// - Parameters:
  ///   - look: Looks at files, each of which leaves some damaged inputs to others.
  ///   - contents: Returns the damaged inputs that a file has, and the numbers of lines found of each.
  mutating func settled<Look>(
    at indices: [Int],
    _ look: (_ indices: [Int], _ left: [Int: Set<UInt32>]) throws -> [Look?],
    contents: (Look?) -> [UInt32: Int]
  ) rethrows -> [Look?] {
    var left: [Int: Set<UInt32>] = [:]
    let taken = Set(owners.keys)
    if !taken.isEmpty { for index in indices { left[index] = taken } }
    var looks = Dictionary(
      uniqueKeysWithValues: zip(indices, try look(indices, left)))
    while true {
      var best: [UInt32: (index: Int, found: Int)] = [:]
      for index in indices {
        for (source, found) in contents(looks[index] ?? nil)
        where found > best[source]?.found ?? -1 {
          best[source] = (index, found)
        }
      }
      let losers = indices.filter { index in
        contents(looks[index] ?? nil).keys.contains { best[$0]?.index != index }
      }
      guard !losers.isEmpty else {
        for (source, claim) in best { owners[source] = claim.index }
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
