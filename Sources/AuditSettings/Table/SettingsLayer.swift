/// The settings of one place (the flags, or a pipeline file): a value for each setting that it names.
///
/// A value is reached by the name that its setting has in ``SettingTable``: `layer.counterGap`.
@dynamicMemberLookup
package struct SettingsLayer: Sendable, Equatable {
  /// The origin of a value.
  package enum Origin: Sendable {
    case file
    /// The flag with its dashes.
    case flag(String)
  }

  /// A value with its origin. Two entries are equal if their values are.
  private struct Entry: Sendable, Equatable {
    let value: any Sendable & Equatable
    let origin: Origin

    static func == (left: Entry, right: Entry) -> Bool { isEqual(left.value, right.value) }

    private static func isEqual<Value: Equatable>(_ left: Value, _ right: any Equatable) -> Bool {
      (right as? Value) == left
    }
  }

  /// The entries by the names of the settings.
  private var entries: [String: Entry] = [:]

  package init() {}

  /// The value of a setting, or nil if the layer has none.
  package subscript<Value>(
    dynamicMember setting: KeyPath<SettingTable, Setting<Value>>
  ) -> Value? {
    get { value(of: SettingTable.shared[keyPath: setting]) }
    set {
      let name = SettingTable.shared[keyPath: setting].name
      if let newValue {
        set(newValue, for: name, from: .file)
      } else {
        entries[name] = nil
      }
    }
  }

  /// Returns the value of a setting, or nil if the layer has none.
  func value<Value>(of setting: Setting<Value>) -> Value? {
    entries[setting.name]?.value as? Value
  }

  mutating func set(
    _ value: some Sendable & Equatable, for name: String, from origin: Origin
  ) {
    entries[name] = Entry(value: value, origin: origin)
  }

  /// Returns the origin of a setting's value, or nil if the layer has none.
  func origin(of setting: any AnySetting) -> Origin? { entries[setting.name]?.origin }

  /// Returns both layers as one. The values of this one take precedence.
  package func over(_ base: SettingsLayer) -> SettingsLayer {
    var merged = base
    // Apps that replace others do not inherit the environments of those.
    if self.apps != nil { merged.environments = nil }
    merged.entries.merge(entries) { _, own in own }
    return merged
  }
}
