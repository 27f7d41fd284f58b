/// The format of a state directory.
package enum StateFormat {
  /// What this program writes; older ones are migrated when they are opened.
  package static let version = 1
}
