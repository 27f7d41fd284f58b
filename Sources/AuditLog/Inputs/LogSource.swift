package import Files

/// One input of a run: a file or standard input, under the name that the reports show.
package struct LogSource: Sendable, Equatable {
  package enum Origin: Sendable, Equatable {
    case file(path: String)
    case standardInput
    /// A source of which nothing can be read: why, as one clause of English.
    case unreadable(String)
    case duplicate(of: Int)
    /// A file that has not changed since an earlier run read it. It is not opened.
    case known
    /// A file that was rewritten while it was examined. It is left to a later run.
    case waiting
  }
  package var name: String
  package var origin: Origin
  /// The size in bytes as the file system tells it, or 0 if it is not known.
  package var size: UInt64
  /// The file that a folder or glob found, and no other is read. It is nil if the input was named itself.
  package var found: FileIdentity?
  private var plan = Plan.none

  package init(name: String, origin: Origin, size: UInt64 = 0, part: PlannedPart? = nil) {
    self.name = name
    self.origin = origin
    self.size = size
    self.part = part
  }

  /// The plans for a source, outside of it: a run can have very many sources without plans.
  private indirect enum Plan: Sendable, Equatable {
    case none
    case some(PlannedPart?, PlannedFile?)

    var plans: (part: PlannedPart?, file: PlannedFile?) {
      get { if case .some(let part, let file) = self { (part, file) } else { (nil, nil) } }
      set {
        let isEmpty = newValue.part == nil && newValue.file == nil
        self = isEmpty ? .none : .some(newValue.part, newValue.file)
      }
    }
  }

  /// The part of it that is to be read, or nil to read everything.
  package var part: PlannedPart? {
    get { plan.plans.part }
    set { plan.plans.part = newValue }
  }

  /// The file that another process planned to read, and no other is read, or nil.
  package var planned: PlannedFile? {
    get { plan.plans.file }
    set { plan.plans.file = newValue }
  }

  func open(_ path: String) throws(ReadFailure) -> OpenFile {
    try OpenFile(path: path, found: found, planned: planned)
  }

  /// Whether it could not be examined because the process has no descriptor left.
  package var lacksDescriptors: Bool {
    guard case .unreadable(let why) = origin else { return false }
    return ReadFailure.isExhaustion(why)
  }
}

/// The part of a file that a run reads after a first look through it.
package struct PlannedPart: Sendable, Equatable {
  /// The bytes of the file as it is stored: no byte after them is read.
  package var fileBytes: UInt64
  /// The sums of these bytes (``StreamSums``), 32 bytes, or none if they are not compared.
  package var sums: [UInt8]
  /// Whether the file is still written to: a last line without end is left, a missing end is no fault.
  package var isOpen = false
  /// Lines that are not read again, counted from 1, as ascending ranges.
  package var passed: [Range<UInt64>] = []
  /// The offsets in the file of damaged places that another input repairs: they are not findings.
  package var repaired: [UInt64] = []

  package init(fileBytes: UInt64, sums: [UInt8]) {
    self.fileBytes = fileBytes
    self.sums = sums
  }
}
