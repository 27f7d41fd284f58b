import Foundation
import TestSupport
import Testing

/// Ten nights with a state find what one run over all of them finds: the very findings, also which of
/// two equal events is the first.
///
/// `ATTEST_AUDIT_NIGHTS=all` plays every way of cutting with twenty seeds.
struct EndNightsTests {
  /// The order in which logs come on the nights.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case inOrder, late, shuffled, reversed, missed, damaged, renamed

    var testDescription: String { rawValue }
  }

  private static let playsAll = ProcessInfo.processInfo.environment["ATTEST_AUDIT_NIGHTS"] == "all"

  /// The ways and seeds that are played: some that were hard once, or everything.
  private static let played: [(way: Way, seed: Int)] =
    playsAll
    ? Way.allCases.flatMap { way in (41...60).map { (way, $0) } }
    : [
      (.late, 76), (.shuffled, 49), (.reversed, 77), (.missed, 47), (.damaged, 62),
      (.renamed, 48),
    ]

  @Test(arguments: played)
  func `ten nights find what one run finds`(_ way: Way, _ seed: Int) throws {
    try play(way, seed)
  }

  @Test(arguments: playsAll ? Array(41...60) : [52])
  func `so they do where challenges are required`(_ seed: Int) throws {
    try play(seed.isMultiple(of: 2) ? .late : .shuffled, seed, ["--challenge-records"])
  }

  @Test(arguments: playsAll ? Array(41...60) : [50])
  func `so they do where requests name devices`(_ seed: Int) throws {
    // Whose a device is has to be known in time: its attestations come on their night.
    try play(seed.isMultiple(of: 2) ? .damaged : .missed, seed, ["--schema", "header-assertion"])
  }

  // MARK: Playing

  private func play(_ way: Way, _ seed: Int, _ flags: [String] = []) throws {
    let nights = try NightSequence(
      [
        "--attacks", "all", "--seed", "\(seed)", "--keys", "\(seed * 4)", "--assertions", "400",
      ] + flags)
    move(nights, way, seed)
    for night in 0..<NightSequence.count {
      switch way {
      case .missed where night == 3 || night == 6: continue
      // The night reads the whole folder as it is by then.
      case .missed: try nights.run(night, nights.files[0...night].joined().sorted())
      case .damaged:
        try nights.runDamaged(night, seed)
        try nights.run(night)
      case .renamed:
        try nights.run(night)
        try nights.runRenamed(night)
      default: try nights.run(night)
      }
    }
    let (whole, found) = (try nights.whole(), nights.found())
    #expect(whole.count > 50)
    #expect(whole.subtracting(found) == [], "missing")
    #expect(found.subtracting(whole) == [], "extra")
  }

  /// Lets files come on other nights than their own.
  private func move(_ nights: NightSequence, _ way: Way, _ seed: Int) {
    let count = NightSequence.count
    switch way {
    case .late:
      let night = seed % (count - 1)
      let late = nights.files[night][seed % nights.files[night].count]
      nights.move(late, from: night, to: night + 1)
    case .shuffled:
      var random = Generator(UInt64(seed))
      for night in 0..<count {
        for name in nights.files[night] where Bool.random(using: &random) {
          nights.move(name, from: night, to: .random(in: 0..<count, using: &random))
        }
      }
    case .reversed:
      let files = nights.files
      for (night, names) in files.enumerated() {
        for name in names { nights.move(name, from: night, to: count - 1 - night) }
      }
    default: break
    }
  }
}
