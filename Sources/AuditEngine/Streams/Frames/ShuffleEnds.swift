internal import RowShuffle

/// The inlets and outlets of the shuffles that are not carried out in this process.
struct ShuffleEnds: Sendable {
  private var inlets: [RowForm: any RowRunSource & Sendable] = [:]
  private var outlets: [RowForm: RowOutlet] = [:]
  /// The long texts of their rows, or nil if all shuffles are here.
  let texts: TextStore?
  /// The receiver of the clientDataHashes of all records, or nil if nobody counts them.
  var places: HashPlaces?
  /// The clientDataHashes that stand in several records, or nil if nobody has counted them.
  var repeated: RepeatedHashes?

  private init(texts: TextStore?) { self.texts = texts }

  static let none = ShuffleEnds(texts: nil)

  /// Makes the ends. Rows of `inputs` come from a stream, and those of `outputs` go to one.
  init(
    _ inputs: [RowForm] = [], from input: StageInput?, _ outputs: [RowForm] = [],
    to output: FrameWriter?, texts: TextStore
  ) {
    self.init(texts: texts)
    if let input {
      for form in inputs { inlets[form] = StageInlet(form, input) }
    }
    if let output {
      for form in outputs { outlets[form] = Self.outlet(form, output, texts) }
    }
  }

  var areNone: Bool { texts == nil }

  func inlet(_ form: RowForm) -> (any RowRunSource & Sendable)? { inlets[form] }
  func outlet(_ form: RowForm) -> RowOutlet? { outlets[form] }

  /// Returns one form's end of a stage's output: rows with their form in front, long texts behind.
  private static func outlet(
    _ form: RowForm, _ output: FrameWriter, _ texts: TextStore
  ) -> RowOutlet {
    unsafe RowOutlet { (count, row) throws(AuditError) in
      try output.add(count) { (index, bytes) throws(AuditError) in
        let row = unsafe row(index)
        bytes.append(form.rawValue)
        unsafe bytes.append(contentsOf: row)
        let fields = unsafe try form.check(row, RowBounds(apps: .max, remembers: true))
        try fields.require(fields.rest == 0)
        for place in fields.storedTexts {
          bytes += unsafe try RowText(stored: row, at: place).bytes(texts, most: .max)
        }
      }
    }
  }
}
