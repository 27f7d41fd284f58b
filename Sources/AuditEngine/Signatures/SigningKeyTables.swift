internal import AppAttest
internal import SignatureBatch
internal import Synchronization

/// The tables of keys that sign often enough to be worth them, a few at once, shared by all
/// workers. If more than `limit` keys are counted, all are forgotten.
final class SigningKeyTables: Sendable {
  /// Signatures from which tables cost less than they save.
  static let leastSignatures = 16
  static let limit = 256
  static let tablesLimit = 8

  /// A key's tables and those of its curve's base point.
  struct Tables: Sendable {
    let base: BaseTables
    let key: KeyTables
  }

  private struct State {
    var bases: [SigningKey.Curve: BaseTables] = [:]
    var signatures: [SigningKey: Int] = [:]
    var tables: [SigningKey: Tables] = [:]
  }

  private let arithmetic: BatchArithmetic
  private let state: Mutex<State>

  /// - Parameter base: The tables of P-256 that assertions are verified with, to be used here too.
  init(base: BaseTables? = nil) {
    arithmetic = base?.arithmetic ?? .best
    var state = State()
    state.bases[.p256] = base
    self.state = Mutex(state)
  }

  /// Returns the tables of a key with so many more signatures, or nil if it has none.
  func tables(of key: SigningKey, signatures: Int) -> Tables? {
    state.withLock { state in
      if let tables = state.tables[key] { return tables }
      let count = state.signatures[key, default: 0] + signatures
      guard count >= Self.leastSignatures else {
        if state.signatures.count >= Self.limit { state.signatures.removeAll() }
        state.signatures[key] = count
        return nil
      }
      guard let base = base(of: key.curve, &state),
        let made = KeyTables(of: key.coordinates.span, for: base)
      else { return nil }
      if state.tables.count >= Self.tablesLimit { state.tables.removeAll() }
      let tables = Tables(base: base, key: made)
      state.tables[key] = tables
      return tables
    }
  }

  private func base(of curve: SigningKey.Curve, _ state: inout State) -> BaseTables? {
    if let base = state.bases[curve] { return base }
    let base = BaseTables(
      curve: SignatureCurve(curve), arithmetic: arithmetic, width: KeyTables.usualWidth)
    state.bases[curve] = base
    return base
  }
}

extension SignatureCurve {
  init(_ curve: SigningKey.Curve) {
    switch curve {
    case .p256: self = .p256
    case .p384: self = .p384
    }
  }
}
