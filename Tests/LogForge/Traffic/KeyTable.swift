import Dispatch
internal import Minting
import Synchronization

/// The keys of the honest devices.
struct KeyTable: Sendable {
  private let seed: UInt64
  private let keys: [MintedKey]

  /// Derives `count` keys, on all processors.
  init(count: Int, seed: UInt64) {
    let blockSize = 1024
    let blocks = (count + blockSize - 1) / blockSize
    let made = Mutex([[MintedKey]](repeating: [], count: blocks))
    DispatchQueue.concurrentPerform(iterations: blocks) { block in
      let tools = SigningTools()
      let keys = (block * blockSize..<min(count, (block + 1) * blockSize)).map {
        Self.deviceKey(seed: seed, stream: UInt64($0), tools)
      }
      made.withLock { $0[block] = keys }
    }
    self.seed = seed
    keys = made.withLock { $0.flatMap(\.self) }
  }

  /// Returns the device of a key.
  func device(_ index: Int) -> Device {
    Device(seed: seed, stream: UInt64(index), keys[index])
  }

  /// Returns the key of one device. One device in sixteen has a coordinate that begins with a zero
  /// byte, instead of one in 128. COSE writes such a coordinate with 31 bytes.
  static func deviceKey(seed: UInt64, stream: UInt64, _ tools: borrowing SigningTools) -> MintedKey
  {
    var random = ForgeRandom(seed, 0x5EC, stream)
    let wantsShort = stream % 16 == 5
    var key = MintedKey(.p256, &random, tools)
    while wantsShort && key.point[1] != 0 && key.point[33] != 0 {
      key = MintedKey(.p256, &random, tools)
    }
    return key
  }
}
