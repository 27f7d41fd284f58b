package import AuditReport
import Files

/// One setting: its place and form, its effect, and the place of its value.
package struct Setting<Value: Sendable>: Sendable {
  package let row: SettingRow
  package let need: SettingNeed
  let form: SettingForm<Value>
  private let absent: String
  private let place: SettingPlace<Value>

  /// Makes a setting with the names and sentence of its row on the page. `absent` are words for no value.
  init(
    _ name: String, _ form: SettingForm<Value>, to place: SettingPlace<Value> = .resolver,
    needs need: SettingNeed = .nothing, absent: String = "none"
  ) {
    row = .named(name)
    self.form = form
    self.place = place
    self.need = need
    self.absent = absent
  }
}

extension Setting {
  /// Makes the setting of a single value at a property of the run.
  init(
    _ name: String, _ format: SettingFormat<Value>,
    to path: any WritableKeyPath<RunSettings, Value> & Sendable, needs need: SettingNeed = .nothing
  ) {
    self.init(name, .one(format), to: .property(path), needs: need)
  }
}

/// A condition under which a setting has a meaning.
package enum SettingNeed: Sendable {
  case nothing
  case state
  case advance
}

struct SettingPlace<Value: Sendable>: Sendable {
  let put: @Sendable (Value, inout RunSettings) -> Void
  /// The function that returns the value that a run uses, if there is one.
  let get: @Sendable (RunSettings) -> Value?

  /// The place of a setting that ``SettingsResolver`` computes, or uses before the run.
  static var resolver: SettingPlace { SettingPlace(put: { _, _ in }, get: { _ in nil }) }

  static func property(_ path: any WritableKeyPath<RunSettings, Value> & Sendable) -> SettingPlace {
    SettingPlace(put: { $1[keyPath: path] = $0 }, get: { $0[keyPath: path] })
  }

  static func optional(
    _ path: any WritableKeyPath<RunSettings, Value?> & Sendable
  ) -> SettingPlace {
    SettingPlace(put: { $1[keyPath: path] = $0 }, get: { $0[keyPath: path] })
  }
}

package protocol AnySetting: Sendable {
  var row: SettingRow { get }
  var need: SettingNeed { get }
  var completion: ValueCompletion? { get }

  func read(_ flag: FlagText, into layer: inout SettingsLayer) throws(CommandError)
  func read(
    _ node: PipelineNode, in folder: SettingsFolder, into layer: inout SettingsLayer
  ) throws(CommandError)
  func apply(_ layer: SettingsLayer, to settings: inout RunSettings)
  /// Returns the value that a run uses as reports keep it, or nil if it decides nothing about findings.
  func recorded(in settings: RunSettings) -> JSONTree?
  func shown(in settings: RunSettings) -> [String]
}

extension AnySetting {
  package var topic: SettingTopic { row.topic }
  package var flag: FlagForm? { row.flag }
  package var path: String? { row.path }
  package var name: String { row.name }

  /// Whether it decides what is found. Of the limits only those do that make a line or a frame unreadable.
  var decides: Bool {
    switch topic {
    case .trust, .detection: path != nil && name != SettingTable.shared.refusal.name
    case .limits:
      [SettingTable.shared.lineBytes.name, SettingTable.shared.zstdWindowBytes.name].contains(name)
    default: false
    }
  }
}

extension Setting: AnySetting {
  package var completion: ValueCompletion? { form.completion }

  package func read(_ flag: FlagText, into layer: inout SettingsLayer) throws(CommandError) {
    guard let read = form.fromFlag else { return }
    layer.set(try read(flag), for: name, from: .flag(flag.name))
  }

  package func read(
    _ node: PipelineNode, in folder: SettingsFolder, into layer: inout SettingsLayer
  ) throws(CommandError) {
    layer.set(try form.fromFile(node, folder), for: name, from: .file)
  }

  package func apply(_ layer: SettingsLayer, to settings: inout RunSettings) {
    if let value = layer.value(of: self) { place.put(value, &settings) }
  }

  package func recorded(in settings: RunSettings) -> JSONTree? {
    guard decides, let value = place.get(settings).flatMap({ form.record?($0) }) else { return nil }
    return value.isEmpty ? nil : value
  }

  package func shown(in settings: RunSettings) -> [String] {
    let lines = place.get(settings).map(form.show) ?? []
    return lines.isEmpty && !absent.isEmpty ? [absent] : lines
  }
}

/// The topics of settings: the headings of help, manual and documentation, in their order.
package enum SettingTopic: String, Sendable, CaseIterable {
  case input = "Input"
  case trust = "Apps and trust"
  case detection = "Detection"
  case report = "Report and output"
  case state = "State"
  case limits = "Limits and machine"
}

/// The settings of one place, the flags or a pipeline file, by their names in ``SettingTable``.
@dynamicMemberLookup
package struct SettingsLayer: Sendable {
  package enum Origin: Sendable {
    case file
    case flag(String)
  }

  private var entries: [String: (value: any Sendable, origin: Origin)] = [:]

  package init() {}

  /// The value of a setting, or nil if the layer has none.
  package subscript<Value>(dynamicMember setting: KeyPath<SettingTable, Setting<Value>>) -> Value? {
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

  func value<Value>(of setting: Setting<Value>) -> Value? { entries[setting.name]?.value as? Value }

  mutating func set(_ value: some Sendable, for name: String, from origin: Origin) {
    entries[name] = (value, origin)
  }

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

/// The folder of a pipeline file, from which its relative paths start.
package struct SettingsFolder: Sendable, Equatable {
  /// The folder with a slash at its end, or empty for the working directory.
  package let path: String

  package init(ofFile path: String) {
    self.path = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Returns the path that a value names. `-` is left unchanged.
  func path(_ node: PipelineNode) throws(CommandError) -> String {
    let name = try node.value(.path)
    return name.hasPrefix("/") || name == "-" ? name : join(name)
  }

  /// Returns the path that a value names, with the value's place.
  func namedPath(_ node: PipelineNode) throws(CommandError) -> NamedPath {
    NamedPath(path: try path(node), origin: node.origin)
  }

  /// Returns the path of a relative name, with `.` and `..` at its beginning folded in.
  private func join(_ name: String) -> String {
    var folder = path
    var rest = name[...]
    while !rest.isEmpty {
      let step = rest.prefix { $0 != "/" }
      if step == ".." {
        guard let parent = Self.parent(folder) else { break }
        folder = parent
      } else if step != "." {
        break
      }
      rest = rest[step.endIndex...].drop { $0 == "/" }
    }
    // `-` alone would be standard input.
    guard rest.isEmpty else { return folder + rest == "-" ? "./-" : folder + rest }
    return folder.isEmpty ? "." : folder == "/" ? folder : String(folder.dropLast())
  }

  /// Returns the folder around a folder, or nil if its name does not tell: after a link `..` may.
  private static func parent(_ folder: String) -> String? {
    guard let last = folder.lastIndex(where: { $0 != "/" }) else { return nil }
    let path = folder[...last]
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    guard !["", ".", ".."].contains(path[start...]) else { return nil }
    guard FileStatus(path: String(path), followsLinks: false)?.kind == .folder else { return nil }
    return String(path[..<start])
  }
}
