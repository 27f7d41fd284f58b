import Foundation
import Synchronization

/// Debian's Chromium without a window, driven through its debugging pipe.
package enum Browser {
  /// The path of the program, or nil if it is not installed (pipelines/setup --browser).
  package static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The result of opening a page.
  package struct Look: Decodable {
    /// The messages of the page, or of the browser about it, on the console.
    package var console: [String]
    /// Every request beside the page itself.
    package var requests: [String]
    /// The values of the expressions, as text, in their order.
    package var values: [String]
  }

  /// The settings for opening a page.
  package struct Manner: Sendable {
    package var width = 1280
    /// The colour scheme, `light` or `dark`.
    package var scheme = "light"
    /// The medium, `screen` or `print`.
    package var media = "screen"

    package init() {}
  }

  /// Opens a file at a fragment and evaluates expressions one after the other in the page. Each may
  /// be a promise. One browser serves all, one page at a time.
  package static func look(
    at file: String, fragment: String = "", _ expressions: [String], _ manner: Manner = Manner()
  ) throws -> Look {
    let order: [String: Any] = [
      "page": "file://" + file + fragment, "expressions": expressions,
      "width": manner.width, "scheme": manner.scheme, "media": manner.media,
    ]
    let line = try JSONSerialization.data(withJSONObject: order)
    return try JSONDecoder().decode(Look.self, from: shared.withLock { try $0.get().ask(line) })
  }

  private static let shared = Mutex(Result { try Driver() })

  /// A script that drives the browser: it answers each line with a line, and ends with the tests.
  private struct Driver {
    private let input = Pipe()
    private let output = Pipe()

    init() throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/python3")
      process.arguments = [Python.path(of: "browser"), path ?? ""]
      process.environment = ["PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    func ask(_ line: Data) throws -> Data {
      try input.fileHandleForWriting.write(contentsOf: line + [UInt8(ascii: "\n")])
      var answer = Data()
      while answer.last != UInt8(ascii: "\n") {
        let piece = output.fileHandleForReading.availableData
        guard !piece.isEmpty else { throw Python.Failure(description: "the driver ended") }
        answer += piece
      }
      if let mistake = try? JSONDecoder().decode([String: String].self, from: answer)["mistake"] {
        throw Python.Failure(description: mistake)
      }
      return answer
    }
  }
}
