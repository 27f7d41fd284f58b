import Dispatch
internal import Minting
import Synchronization

/// The keys of the honest devices, as flat bytes: 129 each.
final class KeyTable: Sendable {
  let count: Int
  private let seed: UInt64
  private let secrets: [UInt8]
  private let points: [UInt8]
  private let ids: [UInt8]

  /// Derives `count` keys, on all processors.
  init(count: Int, seed: UInt64) throws(ForgeError) {
    let blockSize = 1024
    let blocks = (count + blockSize - 1) / blockSize
    let made = Mutex<[Int: Result<[MintedKey], MintingError>]>([:])
    DispatchQueue.concurrentPerform(iterations: blocks) { block in
      let range = block * blockSize..<min(count, (block + 1) * blockSize)
      let keys = Result { () throws(MintingError) in try Self.derive(range, seed: seed) }
      made.withLock { $0[block] = keys }
    }
    var secrets = [UInt8]()
    var points = [UInt8]()
    var ids = [UInt8]()
    secrets.reserveCapacity(count * 32)
    points.reserveCapacity(count * 65)
    ids.reserveCapacity(count * 32)
    let results = made.withLock { $0 }
    for block in 0..<blocks {
      switch results[block] {
      case .success(let keys):
        for key in keys {
          secrets += key.secret
          points += key.point
          ids += MintingDigest.sha256(key.point)
        }
      case .failure(let error): throw ForgeError(.minting(error), "device keys")
      case nil: throw ForgeError(.usage, "device keys were not derived")
      }
    }
    self.count = count
    self.seed = seed
    self.secrets = secrets
    self.points = points
    self.ids = ids
  }

  /// Returns the device of key `index`, which is below `count`.
  func device(_ index: Int) -> Device {
    Device(
      seed: seed, stream: UInt64(index), secret: Array(secrets[index * 32..<index * 32 + 32]),
      point: Array(points[index * 65..<index * 65 + 65]),
      id: Array(ids[index * 32..<index * 32 + 32]))
  }

  private static func derive(_ range: Range<Int>, seed: UInt64) throws(MintingError)
    -> [MintedKey]
  {
    let tools = try SigningTools()
    var keys = [MintedKey]()
    for index in range {
      keys.append(try deviceKey(seed: seed, stream: UInt64(index), tools))
    }
    return keys
  }

  /// Returns the key of one device. One device in sixteen has a coordinate that begins with a zero
  /// byte, instead of one in 128. COSE writes such a coordinate with 31 bytes.
  static func deviceKey(seed: UInt64, stream: UInt64, _ tools: borrowing SigningTools)
    throws(MintingError) -> MintedKey
  {
    var random = ForgeRandom(seed, 0x5EC, stream)
    let wantsShort = stream % 16 == 5
    var key = try MintedKey(.p256, &random, tools)
    while wantsShort && key.point[1] != 0 && key.point[33] != 0 {
      key = try MintedKey(.p256, &random, tools)
    }
    return key
  }
}
