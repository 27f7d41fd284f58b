/// Texts that servers assemble from a request and sign, such as `METHOD /path`.
enum TemplateForms {
  private static let separators = [" ", "\n", ":", "|", ".", ""]
  /// The length of the longest text that is a part of a template, in bytes.
  private static let partLimit = 16 << 10
  /// The largest number of values of a line that are tried as the third part.
  private static let thirdLimit = 8

  /// Returns the templates that a line's values allow, the likeliest first. There are a few hundred
  /// at most.
  static func forms(in line: SampleLine, excluding: Set<Int>) -> [DataForm] {
    var found: [DataForm] = []
    let values = line.values.filter {
      $0.isText && !excluding.contains($0.pointer) && $0.text.count <= partLimit
    }
    let methods = values.filter { $0.text.count <= 7 && RequestMethod.names.contains($0.string) }
      .prefix(2).map(\.pointer)
    let paths = values.filter { $0.kind == .string && $0.text.first == UInt8(ascii: "/") }
      .prefix(3).map(\.pointer)
    let others = values.map(\.pointer).filter { !methods.contains($0) && !paths.contains($0) }
      .prefix(thirdLimit)
    for path in paths {
      for method in methods {
        found += separators.map { join([method, path], $0) }
      }
    }
    for path in paths {
      for other in others {
        for method in methods {
          for separator in separators.prefix(2) + [""] {
            found.append(join([method, path, other], separator))
          }
          found.append(
            .template([.value(method), .text(" "), .value(path), .text("?"), .value(other)]))
          found.append(
            .template([.value(method), .text(" "), .value(path), .text("\n"), .value(other)]))
        }
        found += [" ", "\n", "?", ""].map { join([path, other], $0) }
        found.append(join([other, path], ""))
      }
    }
    return found
  }

  private static func join(_ pointers: [Int], _ separator: String) -> DataForm {
    var parts: [FoundPart] = []
    for pointer in pointers {
      if !parts.isEmpty, !separator.isEmpty { parts.append(.text(separator)) }
      parts.append(.value(pointer))
    }
    return .template(parts)
  }
}
