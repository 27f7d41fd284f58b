internal import AuditEngine

/// The names of sources by their numbers. A number without a source has an empty name.
struct SourceNames: Sendable {
  private let names: [String]
  /// The number of the first of `names`.
  private let first: UInt32
  private let earlier: @Sendable (UInt32) -> String

  init(
    _ names: [String], first: UInt32 = 0,
    earlier: @escaping @Sendable (UInt32) -> String = { _ in "" }
  ) {
    self.names = names
    self.first = first
    self.earlier = earlier
  }

  init(_ result: any AuditResult) {
    self.init(
      result.sources, first: result.firstSource, earlier: result.earlierSource)
  }

  subscript(source: UInt32) -> String {
    guard source >= first else { return earlier(source) }
    let index = Int(source - first)
    return index < names.count ? names[index] : ""
  }
}
