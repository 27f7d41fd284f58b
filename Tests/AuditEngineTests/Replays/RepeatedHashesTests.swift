import Dispatch
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Repeated hashes` {
  /// A hash of some length, unlike that of any other number.
  private func hash(_ number: Int, length: Int = 32) -> [UInt8] {
    var generator = Generator(UInt64(number))
    return generator.bytes(length)
  }

  private func mayHold(_ hashes: RepeatedHashes, _ hash: [UInt8]) -> Bool {
    unsafe hash.withUnsafeBytes { unsafe hashes.mayHold($0) }
  }

  @Test(arguments: [0, 1 << 14, 1 << 20], [16, 32, 255])
  func `what was added twice is held`(_ bytes: Int, _ length: Int) throws {
    let hashes = try #require(RepeatedHashes(bytes: bytes))
    func add(_ number: Int) {
      let hash = hash(number, length: length)
      hashes.add(hash)
    }
    for number in 0..<9_000 { add(number) }
    for number in 0..<3_000 { add(number * 3) }
    #expect((0..<3_000).allSatisfy { mayHold(hashes, hash($0 * 3, length: length)) })
  }

  @Test(arguments: [0, 1 << 14, 1 << 20], [7, 16, 32])
  func `what was found to be repeated elsewhere is held`(_ bytes: Int, _ length: Int) throws {
    let hashes = try #require(RepeatedHashes(bytes: bytes))
    let counted = (0..<300).map { hash($0, length: length) }
    for hash in counted {
      let place = unsafe hash.withUnsafeBytes { unsafe RepeatedHashes.place($0) }
      #expect(place < 1 << (8 * HashPlaces.placeBytes))
      hashes.add(repeated: place)
    }
    #expect(counted.allSatisfy { mayHold(hashes, $0) })
    let others = (1000..<2000).count { mayHold(hashes, hash($0)) }
    #expect(others < 50)
  }

  @Test func `what earlier runs know is held if it was added`() throws {
    let hashes = try #require(RepeatedHashes(bytes: 1 << 18))
    for number in 0..<300 { hashes.add(hash(number)) }
    let earlier = (200..<1000).flatMap { hash($0).prefix(RepeatedHashes.frontBytes) }
    unsafe earlier.withUnsafeBytes { unsafe hashes.add(earlier: $0) }
    #expect((200..<300).allSatisfy { mayHold(hashes, hash($0)) })
    #expect((0..<200).count { mayHold(hashes, hash($0)) } < 10)
    #expect((300..<1000).count { mayHold(hashes, hash($0)) } < 10)
  }

  @Test func `few of those added once are held`() throws {
    let hashes = try #require(RepeatedHashes(bytes: 1 << 18))
    // A place in sixteen is taken at the end: half as many on average.
    for number in 0..<65_536 {
      let hash = hash(number)
      hashes.add(hash)
    }
    let held = (0..<65_536).count { mayHold(hashes, hash($0)) }
    #expect(held < 65_536 / 12)
    #expect(held > 0)
    let empty = try #require(RepeatedHashes(bytes: 1 << 20))
    #expect(!mayHold(empty, hash(1)))
  }

  @Test func `many threads miss none`() throws {
    let hashes = try #require(RepeatedHashes(bytes: 1 << 16))
    DispatchQueue.concurrentPerform(iterations: 4) { part in
      for number in 0..<20_000 where number % 4 == part || number % 7 == 0 {
        let hash = hash(number)
        hashes.add(hash)
      }
    }
    #expect(stride(from: 0, to: 20_000, by: 7).allSatisfy { mayHold(hashes, hash($0)) })
  }
}

extension RepeatedHashes {
  /// Adds the hash of a record whatever its key.
  fileprivate func add(_ hash: [UInt8]) {
    unsafe hash.withUnsafeBytes { unsafe add(place(of: $0), of: nil) }
  }
}
