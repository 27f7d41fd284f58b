import AuditLog

/// Texts that servers assemble from a request and sign, such as `METHOD /path`, or a challenge and
/// the body.
enum TemplateForms {
  private static let separators = [" ", "\n", ":", "|", ".", ""]
  /// The length of the longest text that is a part of a template, in bytes.
  private static let partLimit = 16 << 10
  /// The largest number of values of a line that are tried as the third part.
  private static let thirdLimit = 8
  /// The largest numbers of values that are tried as a challenge, and as the body beside it.
  private static let (challengeLimit, bodyLimit) = (8, 3)
  /// The lengths of a challenge, in bytes.
  private static let challengeBytes = 4...512

  /// Returns the templates that a line's values allow, the likeliest first. There are a few hundred
  /// at most.
  static func forms(
    in line: SampleLine, excluding: Set<Int>, _ pointers: PointerTable
  ) -> [DataForm] {
    let values = line.values.filter {
      $0.isText && !excluding.contains($0.pointer) && $0.text.count <= partLimit
    }
    return ofChallenges(values, pointers) + ofPaths(values)
  }

  /// Returns the templates of a challenge and a body, in either order.
  private static func ofChallenges(
    _ values: [SampleValue], _ pointers: PointerTable
  ) -> [DataForm] {
    func isNamed(_ value: SampleValue, _ words: [String]) -> Bool {
      pointers.meaning(value.pointer).contains(words)
    }
    let ranked =
      values.filter { isNamed($0, WordLists.challenges) }
      + values.filter { !isNamed($0, WordLists.challenges) }
    let challenges = ranked.filter { challengeBytes.contains($0.text.count) }
      .prefix(challengeLimit)
    let bodies = values.filter { isNamed($0, WordLists.bodies) }.prefix(bodyLimit)
    return challenges.flatMap { challenge in
      bodies.filter { $0.pointer != challenge.pointer }.flatMap { body -> [DataForm] in
        let pair = [FoundPart.value(challenge.pointer), .value(body.pointer)]
        let texts = separators.reversed().flatMap { [join(pair, $0), join(pair.reversed(), $0)] }
        guard ValueDecoder.base64(challenge.text) != nil else { return texts }
        let decoded = [FoundPart.value(challenge.pointer, isBase64: true), .value(body.pointer)]
        return texts + [join(decoded, ""), join(decoded.reversed(), "")]
      }
    }
  }

  private static func ofPaths(_ values: [SampleValue]) -> [DataForm] {
    var found: [DataForm] = []
    let methods = values.filter { $0.text.count <= 7 && RequestMethod.names.contains($0.string) }
      .prefix(2).map { FoundPart.value($0.pointer) }
    let paths = values.filter { $0.kind == .string && $0.text.first == UInt8(ascii: "/") }
      .prefix(3).map { FoundPart.value($0.pointer) }
    let others = values.map { FoundPart.value($0.pointer) }
      .filter { !methods.contains($0) && !paths.contains($0) }.prefix(thirdLimit)
    for path in paths {
      for method in methods { found += separators.map { join([method, path], $0) } }
    }
    for path in paths {
      for other in others {
        for method in methods {
          for separator in separators.prefix(2) + [""] {
            found.append(join([method, path, other], separator))
          }
          for separator in ["?", "\n"] {
            found.append(
              DataForm(parts: [method, .text(" "), path, .text(separator), other]))
          }
        }
        found += [" ", "\n", "?", ""].map { join([path, other], $0) }
        found.append(join([other, path], ""))
      }
    }
    return found
  }

  private static func join(_ values: [FoundPart], _ separator: String) -> DataForm {
    var parts: [FoundPart] = []
    for value in values {
      if !parts.isEmpty, !separator.isEmpty { parts.append(.text(separator)) }
      parts.append(value)
    }
    return DataForm(parts: parts)
  }
}
