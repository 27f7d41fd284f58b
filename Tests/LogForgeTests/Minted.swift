@testable import LogForge

/// One authority for all tests: the same at every run.
enum Minted {
  static let authority = Result {
    SyntheticAuthority(seed: 42, SigningTools())
  }
}
