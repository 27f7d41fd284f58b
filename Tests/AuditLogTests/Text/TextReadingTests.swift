import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// The rows of `Tests/Cases/texts.txt`: a function, what it is given, and what it returns, with tabs between them, and with
/// alternatives as ``ReadingCase`` has them.
@Suite struct `Reading of texts` {
  private static func shown(_ value: some Any) -> String { "\(value)" }

  /// Returns what is decoded, as text or else in hex.
  private static func shown(
    _ text: [UInt8], _ decode: (UnsafeBufferPointer<UInt8>, inout ByteBuffer) -> Range<Int>?
  ) -> String {
    var buffer = ByteBuffer()
    let range = unsafe text.withUnsafeBufferPointer { unsafe decode($0, &buffer) }
    guard let range else { return "nil" }
    let bytes = buffer.storage[range]
    return bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
      ? String(decoding: bytes, as: UTF8.self)
      : bytes.map { String($0, radix: 16) }.joined(separator: " ")
  }

  private static func loose(_ text: [UInt8], _ reading: Base64.Reading) -> String {
    unsafe shown(text) { unsafe Base64.decodeLoosely($0, reading, into: &$1) }
  }

  private static func time(_ form: TimeForm, _ text: [UInt8]) -> String {
    form.milliseconds(text.span, isString: true).map(shown) ?? "nil"
  }

  /// Returns what the function of that name returns.
  private static func result(_ name: String, _ texts: [[UInt8]]) -> String {
    let (first, last) = (texts.first ?? [], texts.last ?? [])
    let string = String(decoding: first, as: UTF8.self)
    var reading = Base64.Reading(decodesPercents: true, takesSpaces: true)
    switch name {
    case "rfc3339": return LogTime.parse(rfc3339: first.span).map(shown) ?? "nil"
    case "number": return LogTime.parse(number: first.span).map(shown) ?? "nil"
    case "offset": return ZoneRules(offset: string)?.shifts.first.map { shown($0.offset) } ?? "nil"
    case "percent": return String(decoding: PercentCode.decoded(first.span), as: UTF8.self)
    case "part": return shown(LinePart.isCRI(first[...]))
    case "local":
      let both = [TimeForm(unit: .rfc3339, zone: vienna), TimeForm(zone: vienna)].map {
        time($0, first)
      }
      return both[0] == both[1] ? both[0] : shown(both)
    case "pattern":
      do throws(SchemaProblem) {
        return time(TimeForm(pattern: try TimePattern(parsing: string)), last)
      } catch { return error.text }
    case "pointer":
      do throws(SchemaProblem) {
        let pointer = try JSONPointer(parsing: string)
        return "\(pointer.steps)" + (pointer.text == string ? "" : " \(pointer.text)")
      } catch { return error.text }
    case "route":
      do throws(SchemaProblem) {
        return shown(try RoutePattern(parsing: string).fits(last.span))
      } catch { return "no pattern" }
    case "base64": return unsafe shown(first) { unsafe Base64.decode($0, into: &$1) }
    case "loose, spaces dropped": reading.takesSpaces = false
    case "loose, percents dropped": reading.decodesPercents = false
    case "loose, dashes dropped": reading.dropsDashes = true
    case "loose, units cut": reading.cutsUnits = true
    default: break
    }
    return loose(first, reading)
  }

  static let rows: [[String]] = ((try? Repository.text("Tests/Cases/texts.txt")) ?? "")
    .split(separator: "\n").flatMap { ReadingCase.alternatives(String($0)) }
    .map { $0.components(separatedBy: "\t") }

  @Test func `there are rows`() { #expect(Self.rows.count > 350) }

  @Test(arguments: Set(rows.map { $0[0] }).sorted())
  func `a text is read as its row says`(_ name: String) {
    for row in Self.rows where row[0] == name {
      let texts = row.dropFirst().dropLast().map(ReadingCase.bytes)
      #expect(Self.result(name, texts) == row.last, "\(row)")
    }
  }

  @Test func `a hostile route takes no long time`() throws {
    let route = [UInt8](String(repeating: "/a", count: 200_000).utf8)
    for pattern in ["/**/a/a/a/a/b", "/**/a/**/a/**/a/**/b"] {
      #expect(try !RoutePattern(parsing: pattern).fits(route.span))
    }
    let slashes = [UInt8](repeating: UInt8(ascii: "/"), count: 1_000_000)
    #expect(try !RoutePattern(parsing: "/b").fits(slashes.span))
  }
}
