package import AuditReport

/// One setting: its place and form, its effect, and the place of its value.
package struct Setting<Value: Sendable & Equatable>: Sendable {
  package let topic: SettingTopic
  package let flag: FlagForm?
  package let path: String?
  package let need: SettingNeed
  package let sentence: String
  let form: SettingForm<Value>
  private let standard: String?
  private let absent: String
  private let place: SettingPlace<Value>

  /// Makes a setting.
  ///
  /// - `flag`: its form on the command line. A setting of files alone has none.
  /// - `path`: its place in a pipeline file, `detect.counterGap`. A setting of flags alone has none.
  /// - `place`: the place of its value.
  /// - `standard`: words for the default, if it is not simply the value at `place`.
  /// - `absent`: words for a place without a value.
  init(
    _ topic: SettingTopic, flag: FlagForm? = nil, path: String? = nil, _ form: SettingForm<Value>,
    to place: SettingPlace<Value> = .resolver, needs need: SettingNeed = .nothing,
    standard: String? = nil, absent: String = "none", _ sentence: String
  ) {
    self.topic = topic
    self.flag = flag
    self.path = path
    self.form = form
    self.place = place
    self.need = need
    self.standard = standard
    self.absent = absent
    self.sentence = sentence
  }
}

/// A condition under which a setting has a meaning.
package enum SettingNeed: Sendable {
  case nothing
  /// The run has a state.
  case state
  /// The run advances a state.
  case advance
}

/// The place of a setting's value.
struct SettingPlace<Value: Sendable>: Sendable {
  let put: @Sendable (Value, inout RunSettings) -> Void
  /// The function that returns the value that a run uses, if there is one.
  let get: @Sendable (RunSettings) -> Value?

  /// The place of a setting that ``SettingsResolver`` computes from several, or that is used before
  /// the run.
  static var resolver: SettingPlace { SettingPlace(put: { _, _ in }, get: { _ in nil }) }

  /// Makes the place in a property.
  static func property(
    _ path: any WritableKeyPath<RunSettings, Value> & Sendable
  ) -> SettingPlace {
    SettingPlace(put: { $1[keyPath: path] = $0 }, get: { $0[keyPath: path] })
  }

  /// Makes the place in an optional property.
  static func optional(
    _ path: any WritableKeyPath<RunSettings, Value?> & Sendable
  ) -> SettingPlace {
    SettingPlace(put: { $1[keyPath: path] = $0 }, get: { $0[keyPath: path] })
  }
}

/// A setting, whatever its type.
package protocol AnySetting: Sendable {
  /// The topic of the setting.
  var topic: SettingTopic { get }
  /// The form on the command line. A setting of files alone has none.
  var flag: FlagForm? { get }
  /// The place in a pipeline file, such as `detect.counterGap`. A setting of flags alone has none.
  var path: String? { get }
  /// A sentence about the effect.
  var sentence: String { get }
  /// The condition under which it has a meaning.
  var need: SettingNeed { get }
  /// The type and the range in words.
  var range: String { get }
  /// The shape of one text on the command line.
  var shape: ValueShape { get }
  /// The words for the default.
  var standardText: String { get }

  /// Reads the typed texts into `layer`.
  func read(_ flag: FlagText, into layer: inout SettingsLayer) throws(CommandError)
  /// Reads a value of a pipeline file into `layer`.
  func read(
    _ node: PipelineNode, in folder: SettingsFolder, into layer: inout SettingsLayer
  ) throws(CommandError)
  /// Puts the value of `layer` into its place.
  func apply(_ layer: SettingsLayer, to settings: inout RunSettings)
  /// Returns the value that a run uses as reports keep it, or nil if it decides nothing about findings.
  func recorded(in settings: RunSettings) -> RecordedValue?
  /// Returns the lines that show the values that a run uses.
  func shown(in settings: RunSettings) -> [String]
}

extension AnySetting {
  /// The name: the place in a pipeline file, or the flag if there is no such place.
  package var name: String { path ?? flag?.name ?? "" }

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
  package var range: String { form.range }
  package var shape: ValueShape { form.shape }

  package var standardText: String {
    if let standard { return standard }
    guard let value = place.get(RunSettings.standard) else { return absent }
    let lines = form.show(value)
    return lines.isEmpty ? absent : lines.joined(separator: ", ")
  }

  package func read(_ flag: FlagText, into layer: inout SettingsLayer) throws(CommandError) {
    layer.set(try form.fromFlag(flag), for: name, from: .flag(flag.name))
  }

  package func read(
    _ node: PipelineNode, in folder: SettingsFolder, into layer: inout SettingsLayer
  ) throws(CommandError) {
    layer.set(try form.fromFile(node, folder), for: name, from: .file)
  }

  package func apply(_ layer: SettingsLayer, to settings: inout RunSettings) {
    if let value = layer.value(of: self) { place.put(value, &settings) }
  }

  package func recorded(in settings: RunSettings) -> RecordedValue? {
    guard decides, let value = place.get(settings).flatMap({ form.record?($0) }) else { return nil }
    return value.isEmpty ? nil : value
  }

  package func shown(in settings: RunSettings) -> [String] {
    let lines = place.get(settings).map(form.show) ?? []
    return lines.isEmpty && !absent.isEmpty ? [absent] : lines
  }
}
