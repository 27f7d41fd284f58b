import AuditLog

/// Texts that servers assemble and sign: `METHOD /path`, or a challenge and the body.
enum TemplateForms {
  /// Texts of a challenge (C) and a body (B), and of a challenge that was decoded from base64 (D).
  private static let ofChallenge =
    ["CB", "BC"]
    + [".", "|", ":", "\n", " "].flatMap { ["C\($0)B", "B\($0)C"] }
  private static let ofDecoded = ["DB", "BD"]
  /// Texts of a method (M), a path (P) and another value (O).
  private static let ofMethod = ["M P", "M\nP", "M:P", "M|P", "M.P", "MP"]
  private static let ofMethodAndOther = ["M P O", "M\nP\nO", "MPO", "M P?O", "M P\nO"]
  private static let ofOther = ["P O", "P\nO", "P?O", "PO", "OP"]

  /// Returns the templates that a line's values allow, a few hundred at most, the likeliest first.
  static func forms(
    in line: SampleLine, excluding: Set<Int>, _ pointers: PointerTable
  ) -> [DataForm] {
    let values = line.values.filter {
      $0.isText && !excluding.contains($0.pointer) && $0.text.count <= 16 << 10
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
    let ranked = [true, false].flatMap { isFirst in
      values.filter { isNamed($0, WordLists.challenges) == isFirst }
    }
    let challenges = ranked.filter { (4...512).contains($0.text.count) }.prefix(8)
    let bodies = values.filter { isNamed($0, WordLists.bodies) }.prefix(3)
    return challenges.flatMap { challenge in
      let isBase64 = ValueDecoder.base64(challenge.text) != nil
      return bodies.filter { $0.pointer != challenge.pointer }.flatMap { body in
        let values: [Character: FoundPart] = [
          "C": .value(challenge.pointer), "D": .value(challenge.pointer, isBase64: true),
          "B": .value(body.pointer),
        ]
        return (ofChallenge + (isBase64 ? ofDecoded : [])).map { form($0, values) }
      }
    }
  }

  private static func ofPaths(_ values: [SampleValue]) -> [DataForm] {
    let methods = values.filter { $0.text.count <= 7 && RequestMethod.names.contains($0.string) }
      .prefix(2).map { FoundPart.value($0.pointer) }
    let paths = values.filter { $0.kind == .string && $0.text.first == UInt8(ascii: "/") }
      .prefix(3).map { FoundPart.value($0.pointer) }
    let others = values.map { FoundPart.value($0.pointer) }
      .filter { !methods.contains($0) && !paths.contains($0) }.prefix(8)
    return paths.flatMap { path in
      methods.flatMap { method in ofMethod.map { form($0, ["M": method, "P": path]) } }
    }
      + paths.flatMap { path in
        others.flatMap { other in
          methods.flatMap { method in
            ofMethodAndOther.map { form($0, ["M": method, "P": path, "O": other]) }
          } + ofOther.map { form($0, ["P": path, "O": other]) }
        }
      }
  }

  private static func form(_ template: String, _ values: [Character: FoundPart]) -> DataForm {
    DataForm(parts: template.map { values[$0] ?? .text(String($0)) })
  }
}
