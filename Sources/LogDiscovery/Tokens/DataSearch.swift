/// A search for values whose hash makes a nonce or a signature valid, by known forms first.
struct DataSearch {
  private static let checksEachLine = 1500

  private let pointers: PointerTable
  /// The number of lines on which each form was valid.
  private(set) var hits: [DataForm: Int] = [:]
  /// The same forms, in the order in which they were found.
  private var known: [DataForm] = []
  /// The number of lines that were examined.
  private(set) var examined = 0
  /// The lines on which a form was valid, each with those forms.
  private(set) var held: [[DataForm]] = []
  /// The number of lines all of whose values are tried.
  private var fullSearchesLeft = 60

  init(_ pointers: PointerTable) { self.pointers = pointers }

  /// Searches for a clientDataHash that `holds`, with the `checks` that are left. Returns success.
  mutating func look(
    at line: SampleLine, excluding: Set<Int>, checks: inout Int, holds: ([UInt8]) -> Bool
  ) -> Bool {
    guard checks > 0 else { return false }
    examined += 1
    var left = min(Self.checksEachLine, checks)
    defer { checks -= min(Self.checksEachLine, checks) - left }
    var tried: [[UInt8]: Bool] = [:]
    func isFound(_ hash: [UInt8]) -> Bool {
      if let known = tried[hash] { return known }
      guard left > 0 else { return false }
      left -= 1
      let result = holds(hash)
      tried[hash] = result
      return result
    }
    let known = self.known.sorted { hits[$0, default: 0] > hits[$1, default: 0] }.prefix(12)
    let holding = known.filter { $0.hash(in: line).map(isFound) ?? false }
    if !holding.isEmpty {
      credit(holding)
      return true
    }
    guard fullSearchesLeft > 0 else { return false }
    fullSearchesLeft -= 1
    let values = line.values.filter { !excluding.contains($0.pointer) }
    // Forms that no schema can express come last.
    for forms in [
      { _ in values.flatMap(DataForm.forms) },
      { TemplateForms.forms(in: line, excluding: excluding, $0) },
      { _ in values.flatMap(DataForm.oddForms) },
    ] as [(PointerTable) -> [DataForm]] where left > 0 {
      let forms = forms(pointers)
      let first = forms.first { left > 0 && $0.hash(in: line).map(isFound) ?? false }
      guard let hash = first?.hash(in: line) else { continue }
      credit(forms.filter { $0.hash(in: line) == hash })
      return true
    }
    return false
  }

  private mutating func credit(_ forms: [DataForm]) {
    held.append(forms)
    for form in forms {
      if hits[form] == nil { known.append(form) }
      hits[form, default: 0] += 1
    }
  }

  /// Returns the form that was valid most often, the simplest of several.
  var best: DataForm? { best(of: hits)?.form }

  /// Returns the forms that explain nearly all lines, the most frequent first.
  var forms: [(form: DataForm, hits: Int)] {
    var left = held
    var found: [(form: DataForm, hits: Int)] = []
    while found.count < 4 {
      var counts: [DataForm: Int] = [:]
      for forms in left { for form in forms { counts[form, default: 0] += 1 } }
      guard let best = best(of: counts), found.isEmpty || best.hits >= max(3, held.count / 20)
      else {
        break
      }
      found.append(best)
      left.removeAll { $0.contains(best.form) }
    }
    return found
  }

  /// Returns the number of lines on which only other forms were valid, and the form of most of them.
  func others(than forms: [DataForm]) -> (form: DataForm, lines: Int)? {
    let left = held.filter { Set($0).isDisjoint(with: forms) }
    let counts = Dictionary(left.joined().map { ($0, 1) }, uniquingKeysWith: +)
    return best(of: counts).map { ($0.form, left.count) }
  }

  private func best(of counts: [DataForm: Int]) -> (form: DataForm, hits: Int)? {
    guard let most = counts.values.max() else { return nil }
    return counts.filter { $0.value == most }
      .min { $0.key.order(pointers) < $1.key.order(pointers) }.map { ($0.key, $0.value) }
  }
}
