internal import Glibc

/// The names of what is written beside its place before it is renamed: made and recognised here alone.
package enum TemporaryName {
  /// The beginning of the names that files without a name have for a moment: mkstemp(3).
  static let spillPrefix = "attest-audit.spill."

  /// Returns the name beside `name` under which process `pid` writes what is to have that name.
  package static func partial(_ name: String, pid: Int32 = getpid()) -> String {
    ".\(name).partial-\(pid)"
  }

  /// Returns the name to which process `pid` moves what had that name, until the new one is there.
  package static func former(_ name: String, pid: Int32 = getpid()) -> String {
    ".\(name).former-\(pid)"
  }

  /// Returns the name under which all processes, one at a time, write what is to have that name.
  package static func shared(_ name: String) -> String { ".\(name).partial" }

  /// Returns a name for a temporary file that no other program has.
  package static func unique(_ what: String) -> String {
    "attest-\(what)-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
  }

  /// Returns whether a name is one that a file without a name had for a moment.
  package static func isSpill(_ name: String) -> Bool {
    name.hasPrefix(spillPrefix) || name.hasPrefix("spill.")
  }
}
