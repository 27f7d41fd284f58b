import AppAttest
import AuditEngine
import Basics
import Foundation
import OpenSSL

/// The rate at which OpenSSL verifies on one core of this machine, in this run.
enum OpenSSLRate {
  /// The key and the signature over "sample" of RFC 6979, A.2.5.
  private static let point =
    "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
  private static let signature =
    "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    + "022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"

  private static func bytes(_ hex: String) -> [UInt8] { Hex.bytes(hex.utf8) ?? [] }

  /// Returns the number of verifications in a second by the verifier that audits use, on one core.
  static func ownRate() throws -> Double {
    let digest = Digest256.sha256(Array("sample".utf8).span)
    let signature = bytes(signature)
    guard let key = P256PublicKey(point: bytes(point)) else {
      throw BenchError(context: "the bench's own key is no point of P-256")
    }
    let verifier = P256Verifier()
    let count = 20_000
    let start = StageClock.now
    for _ in 0..<count {
      let holds = digest.withSpan {
        verifier.verify(digest: $0, signatureDER: signature.span, key: key)
      }
      guard holds else { throw BenchError(context: "the bench's own signature is invalid") }
    }
    return Double(count) / (Double(StageClock.now - start) / 1e9)
  }

  /// Measures the number of verifications in a second on `jobs` cores at once.
  static func rate(jobs: Int) throws -> Double {
    try speedRate(jobs == 1 ? [] : ["-multi", String(jobs)]) ?? ownRate() * Double(jobs)
  }

  /// Returns the number of verifications in a second by the installed program, or nil if it is not
  /// installed.
  private static func speedRate(_ options: [String]) -> Double? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl", "speed", "-seconds", "3"] + options + ["ecdsap256"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    guard process.terminationStatus == 0,
      let row = lines.last(where: { $0.contains("nistp256") }),
      let rate = row.split(separator: " ").last
    else { return nil }
    return Double(rate)
  }
}
