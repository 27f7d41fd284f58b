/// The spelling of a path in a log. Lenient routers take all spellings for the same route.
enum RouteSpelling: CaseIterable {
  case plain, trailingSlash, query, fragment, capitals, doubledSlash, address, percentEncoded
  /// All of the others together.
  case crooked

  /// Returns the plain path in most cases. The later numbers of `random` do not depend on it.
  static func any(_ random: ForgeRandom) -> RouteSpelling {
    var random = random
    return random.once(in: 4) ? random.pick(allCases) : .plain
  }

  /// Returns `path`, which begins with a slash and a letter, in this spelling.
  func spell(_ path: String) -> String {
    switch self {
    case .plain: path
    case .trailingSlash: path + "/"
    case .query: path + "?x=1"
    case .fragment: path + "#top"
    case .capitals: path.uppercased()
    case .doubledSlash: path.split(separator: "/").reduce("") { $0 + "//" + $1 }
    case .address: "https://api.example.com" + path + "/"
    case .percentEncoded: Self.percentEncoded(path)
    case .crooked:
      "HTTPS://API.example.com:8443/" + Self.percentEncoded(path.uppercased()) + "/?next=/a/b#c"
    }
  }

  /// Returns `path` with its first letter as a percent sign and digits.
  private static func percentEncoded(_ path: String) -> String {
    let bytes = Array(path.utf8)
    let digits = String(decoding: TextCode.hex.encode([bytes[1]]), as: UTF8.self)
    return "/%" + digits + String(decoding: bytes[2...], as: UTF8.self)
  }
}
