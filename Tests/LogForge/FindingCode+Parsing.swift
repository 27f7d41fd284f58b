package import FindingCodes

extension FindingCode {
  /// Returns the codes that a list names: codes and families, separated by commas, or `all` or
  /// `none`. A minus sign before a word leaves its codes out again. A family and `all` mean those that
  /// the logs of `schema` can show. Throws for an unknown word, and for a code that they cannot show.
  package static func parse(_ list: String, schema: ForgedSchema = .default)
    throws(ForgeError) -> Set<FindingCode>
  {
    let possible = AttackCatalog.codes(in: schema.form)
    var codes = Set<FindingCode>()
    for word in list.split(separator: ",") {
      var word = String(word.drop { $0 == " " })
      if word == "none" { continue }
      let isLeftOut = word.hasPrefix("-")
      if isLeftOut { word.removeFirst() }
      let named = allCases.filter { word == "all" || $0.name == word || $0.entry.family == word }
      guard !named.isEmpty else {
        throw ForgeError(.usage, "--attacks \(word): no such code or family")
      }
      let matches =
        named.count == 1
        ? Set(named).intersection(possible.union(AttackCatalog.beyondLogs))
        : possible.intersection(named)
      guard !matches.isEmpty else {
        throw ForgeError(
          .usage, "--attacks \(word): the logs of \(schema.rawValue) cannot show it")
      }
      if isLeftOut { codes.subtract(matches) } else { codes.formUnion(matches) }
    }
    return codes
  }
}
