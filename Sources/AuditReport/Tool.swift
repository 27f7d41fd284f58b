/// The name and version that reports and `--version` show.
package enum Tool {
  package static let name = "attest-audit"
  package static let version = "0.1.0"
}
