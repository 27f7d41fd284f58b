/// The names of a run's sources by their order; a number without a source has an empty name.
struct SourceNames {
  private let names: [String]

  init(_ names: [String]) {
    self.names = names
  }

  subscript(source: UInt32) -> String {
    Int(source) < names.count ? names[Int(source)] : ""
  }
}
