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
    for text in list.split(separator: ",").map({ $0.drop { $0 == " " } }) where text != "none" {
      let isLeftOut = text.hasPrefix("-")
      let word = isLeftOut ? text.dropFirst() : text
      let named = allCases.filter { word == "all" || $0.name == word || $0.entry.family == word }
      guard !named.isEmpty else {
        let families = Set(allCases.map { String($0.entry.family) })
        let known = ["all", "none"] + (families.union(allCases.map(\.name))).sorted()
        throw ForgeError(
          .usage,
          "--attacks \(text): no such code or family; there are \(known.joined(separator: ", "))")
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
