import Foundation
import TestSupport
import Testing

/// Ten nights with a state find what one run over all of them finds.
struct EndNightsTests {
  private func forge(_ seed: Int) throws -> NightSequence {
    try NightSequence([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "\(seed * 4)", "--assertions", "600",
    ])
  }

  private func expectSame(
    _ nights: NightSequence, whicheverIsFirst: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var (whole, found) = (try nights.whole(), nights.found())
    #expect(whole.count > 50, sourceLocation: sourceLocation)
    if whicheverIsFirst {
      whole = try nights.whichIsFirst(whole)
      found = try nights.whichIsFirst(found)
    }
    #expect(whole.subtracting(found) == [], "missing", sourceLocation: sourceLocation)
    #expect(found.subtracting(whole) == [], "extra", sourceLocation: sourceLocation)
  }

  @Test(arguments: [41, 42, 43])
  func `ten nights find what one run finds`(_ seed: Int) throws {
    let nights = try forge(seed)
    for night in 0..<NightSequence.count { try nights.run(night) }
    try expectSame(nights)
  }

  @Test(arguments: [(44, 2), (45, 5), (76, 3), (88, 7)])
  func `a file that comes a day late changes nothing`(_ seed: Int, _ night: Int) throws {
    let nights = try forge(seed)
    let late = nights.files[night][seed % nights.files[night].count]
    nights.move(late, from: night, to: night + 1)
    for night in 0..<NightSequence.count { try nights.run(night) }
    try expectSame(nights, whicheverIsFirst: true)
  }

  @Test func `a night that was missed is caught up with`() throws {
    let nights = try forge(47)
    for night in 0..<NightSequence.count where night != 3 && night != 6 {
      // The night reads the whole folder as it is by then.
      let names = nights.files[0...night].joined().sorted()
      try nights.run(night, names)
    }
    try expectSame(nights)
  }

  @Test func `renamed and recompressed inputs are not new`() throws {
    let nights = try forge(48)
    try nights.scratch.makeFolder("archive")
    for night in 0..<NightSequence.count {
      try nights.run(night)
      for name in nights.files[night] {
        let bytes = try nights.scratch.bytes("day/logs/" + name)
        let stem = String(name.prefix { $0 != "." })
        guard !stem.hasPrefix("edge-z") else { continue }
        let plain = try Packed.unpack(bytes)
        try nights.scratch.write("archive/\(stem).old.zst", try Packed.zstd(plain))
        try nights.settle("archive/\(stem).old.zst")
      }
      // The next run reads everything again, and new only what is new.
      try nights.run(night, [], folder: "archive")
      let inputs = try nights.scratch.report("report-\(2 * night + 1)").summary.inputs
      #expect(inputs.allSatisfy { $0.status == "known" && $0.lines == 0 })
    }
    try expectSame(nights)
  }

  @Test(arguments: [49, 62, 66])
  func `files that are shuffled between nights find the same`(_ seed: Int) throws {
    let nights = try forge(seed)
    var random = Generator(UInt64(seed))
    for night in 0..<NightSequence.count {
      for name in nights.files[night] where Bool.random(using: &random) {
        nights.move(name, from: night, to: .random(in: 0..<NightSequence.count, using: &random))
      }
    }
    for night in 0..<NightSequence.count { try nights.run(night) }
    try expectSame(nights, whicheverIsFirst: true)
  }
}
