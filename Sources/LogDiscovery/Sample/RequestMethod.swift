/// The methods of HTTP requests that logs have (RFC 9110, section 9; RFC 5789).
enum RequestMethod {
  static let names: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
  /// The names as bytes of a line.
  static let texts = Set(names.map { Array($0.utf8)[...] })
}
