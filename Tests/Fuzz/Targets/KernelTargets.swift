import SignatureBatch

/// The kernel of P-256, by every arithmetic and method, against OpenSSL.
struct KernelP256Target: FuzzTarget {
  static let name = "kernel-p256"
  static let limit = 1024

  private let kernel: FuzzedKernel

  init() throws { kernel = try FuzzedKernel(.p256) }

  static func seeds() throws -> [[UInt8]] { try FuzzedKernel.seeds() }

  func run(_ bytes: [UInt8]) throws { try kernel.run(bytes) }
}

/// The kernel of P-384, by every arithmetic and method, against OpenSSL.
struct KernelP384Target: FuzzTarget {
  static let name = "kernel-p384"
  static let limit = 1024

  private let kernel: FuzzedKernel

  init() throws { kernel = try FuzzedKernel(.p384) }

  static func seeds() throws -> [[UInt8]] { try FuzzedKernel.seeds() }

  func run(_ bytes: [UInt8]) throws { try kernel.run(bytes) }
}
