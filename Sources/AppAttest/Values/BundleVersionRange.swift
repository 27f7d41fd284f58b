/// A range of bundle versions, such as `>=7.1 <8`, compared part by part between points. Digits are
/// a number, a missing part is 0, and any other part is text, which comes after numbers.
public struct BundleVersionRange: Sendable, Hashable {
  private struct Bound: Sendable, Hashable {
    var isLower: Bool
    var isIncluded: Bool
    var version: [Substring]
  }

  private let bounds: [Bound]

  /// Returns whether a text is meant as a range or a pattern. Any other text is one version.
  public static func isRange(_ text: String) -> Bool {
    text.contains { "<>≤≥*".contains($0) } || text.first.map { "=~^!".contains($0) } == true
  }

  /// Reads bounds, `>=`, `>`, `<=` or `<` and a version, that a version can meet, or returns nil.
  public init?(_ text: String) {
    var bounds: [Bound] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      guard let first = word.first, first == "<" || first == ">" else { return nil }
      let isIncluded = word.dropFirst().first == "="
      let version = word.dropFirst(isIncluded ? 2 : 1)
      guard !version.isEmpty, !version.contains(where: { "<>=".contains($0) }) else { return nil }
      bounds.append(
        Bound(isLower: first == ">", isIncluded: isIncluded, version: Self.parts(version)))
    }
    let meets = bounds.filter(\.isLower).allSatisfy { lower in
      bounds.filter { !$0.isLower }.allSatisfy { upper in
        let order = Self.compare(lower.version, upper.version)
        return order < 0 || order == 0 && lower.isIncluded && upper.isIncluded
      }
    }
    guard !bounds.isEmpty, meets else { return nil }
    self.bounds = bounds
  }

  /// Returns whether a version is within all bounds.
  public func contains(_ version: String) -> Bool {
    let parts = Self.parts(version[...])
    return bounds.allSatisfy { bound in
      let order = Self.compare(parts, bound.version)
      return order == 0 ? bound.isIncluded : (order > 0) == bound.isLower
    }
  }

  private static func parts(_ version: Substring) -> [Substring] {
    version.split(separator: ".", omittingEmptySubsequences: false)
  }

  /// Compares two versions. Returns a negative number if the first is lower, 0 if they are equal.
  private static func compare(_ left: [Substring], _ right: [Substring]) -> Int {
    for index in 0..<max(left.count, right.count) {
      let order = compare(
        index < left.count ? left[index] : "0", index < right.count ? right[index] : "0")
      if order != 0 { return order }
    }
    return 0
  }

  /// Compares two parts. Numbers can have any length.
  private static func compare(_ left: Substring, _ right: Substring) -> Int {
    switch (digits(left), digits(right)) {
    case (let a?, let b?):
      if a.count != b.count { return a.count - b.count }
      return a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
    case (_?, nil): return -1
    case (nil, _?): return 1
    case (nil, nil):
      let (a, b) = (left.utf8, right.utf8)
      return a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
    }
  }

  /// Returns the digits of a number without leading zeros, or nil if the part is not a number.
  private static func digits(_ part: Substring) -> Substring.UTF8View.SubSequence? {
    let bytes = part.utf8
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return bytes.drop { $0 == 0x30 }
  }
}
