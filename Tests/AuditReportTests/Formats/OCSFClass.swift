import Foundation

/// The class Detection Finding of the Open Cybersecurity Schema Framework 1.5.0 and the objects in
/// it, as far as findings use them. They are written down from its files
/// `events/findings/detection_finding.json` and `objects/*.json` with all that they extend and the
/// profile `security_control`, and the types of `dictionary.json`.
enum OCSFClass {
  /// The type of an attribute.
  indirect enum Kind: Sendable {
    case string, integer, boolean, timestamp, json
    /// One of these numbers.
    case choice(Set<Int>)
    case object(String)
    case array(Kind)
  }

  /// An object: its attributes, those that are required, and of which one has to be there.
  struct Definition: Sendable {
    var attributes: [String: Kind]
    var required: Set<String>
    var atLeastOne: Set<String> = []
  }

  static let definitions: [String: Definition] = [
    "detection_finding": Definition(
      attributes: [
        "activity_id": .choice([0, 1, 2, 3, 99]), "activity_name": .string,
        "category_uid": .choice([2]), "category_name": .string, "class_uid": .choice([2004]),
        "class_name": .string, "type_uid": .choice([200400, 200401, 200402, 200403, 200499]),
        "type_name": .string, "severity_id": .choice([0, 1, 2, 3, 4, 5, 6, 99]),
        "severity": .string, "status_id": .choice([0, 1, 2, 3, 4, 5, 99]), "status": .string,
        "time": .timestamp, "start_time": .timestamp, "end_time": .timestamp, "count": .integer,
        "message": .string, "is_alert": .boolean, "action_id": .choice([0, 1, 2, 3, 4, 99]),
        "disposition_id": .choice(Set(0...27).union([99])), "metadata": .object("metadata"),
        "finding_info": .object("finding_info"), "remediation": .object("remediation"),
        "resources": .array(.object("resource_details")),
        "evidences": .array(.object("evidences")), "unmapped": .json,
      ],
      required: [
        "activity_id", "category_uid", "class_uid", "finding_info", "metadata", "severity_id",
        "time", "type_uid",
      ]),
    "metadata": Definition(
      attributes: [
        "version": .string, "product": .object("product"), "profiles": .array(.string),
        "log_name": .string, "uid": .string,
      ], required: ["product", "version"]),
    "product": Definition(
      attributes: ["name": .string, "uid": .string, "vendor_name": .string, "version": .string],
      required: [], atLeastOne: ["name", "uid"]),
    "finding_info": Definition(
      attributes: [
        "uid": .string, "title": .string, "desc": .string, "types": .array(.string),
        "src_url": .string,
        "created_time": .timestamp, "first_seen_time": .timestamp,
        "data_sources": .array(.string), "analytic": .object("analytic"),
      ], required: ["uid"]),
    "analytic": Definition(
      attributes: [
        "uid": .string, "name": .string, "type": .string, "desc": .string,
        "type_id": .choice(Set(0...11).union([99])),
      ], required: ["type_id"], atLeastOne: ["name", "uid"]),
    "remediation": Definition(attributes: ["desc": .string], required: ["desc"]),
    "resource_details": Definition(
      attributes: ["uid": .string, "name": .string, "type": .string, "data": .json],
      required: [], atLeastOne: ["name", "uid"]),
    "evidences": Definition(
      attributes: [
        "data": .json, "user": .object("user"), "name": .string, "uid": .string,
        "src_endpoint": .object("network_endpoint"), "http_request": .object("http_request"),
      ],
      required: [], atLeastOne: ["data", "user", "src_endpoint"]),
    "network_endpoint": Definition(
      attributes: ["ip": .string, "name": .string, "uid": .string], required: [],
      atLeastOne: ["ip", "uid", "name"]),
    "http_request": Definition(
      attributes: ["user_agent": .string, "url": .object("url"), "uid": .string], required: []),
    "url": Definition(attributes: ["path": .string, "hostname": .string], required: []),
    "user": Definition(
      attributes: ["uid": .string, "name": .string], required: [],
      atLeastOne: ["account", "name", "uid"]),
  ]

  /// Returns the parts of a value that its definition does not allow.
  static func faults(
    _ value: Any, _ kind: Kind = .object("detection_finding"), at place: String = ""
  )
    -> [String]
  {
    switch kind {
    case .string: return value is String ? [] : ["\(place) is no string"]
    case .integer, .timestamp: return isInteger(value) ? [] : ["\(place) is no whole number"]
    case .boolean:
      return (value as? NSNumber).map(isBoolean) == true ? [] : ["\(place) is no boolean"]
    case .json: return []
    case .choice(let numbers):
      return isInteger(value) && numbers.contains((value as? NSNumber)?.intValue ?? -1)
        ? [] : ["\(place) is \(value)"]
    case .array(let element):
      guard let values = value as? [Any] else { return ["\(place) is no array"] }
      return values.flatMap { faults($0, element, at: place + "[]") }
    case .object(let name):
      guard let members = value as? [String: Any], let definition = definitions[name] else {
        return ["\(place) is no \(name)"]
      }
      var found = definition.required.filter { members[$0] == nil }.map {
        "\(place).\($0) is missing"
      }
      if !definition.atLeastOne.isEmpty, definition.atLeastOne.isDisjoint(with: members.keys) {
        found.append("\(place) has none of \(definition.atLeastOne)")
      }
      for (member, value) in members {
        guard let kind = definition.attributes[member] else {
          found.append("\(place).\(member) is not of \(name)")
          continue
        }
        found += faults(value, kind, at: "\(place).\(member)")
      }
      return found
    }
  }

  private static func isInteger(_ value: Any) -> Bool {
    guard let number = value as? NSNumber, !isBoolean(number) else { return false }
    return number.doubleValue == number.doubleValue.rounded()
  }

  private static func isBoolean(_ number: NSNumber) -> Bool {
    let type = unsafe String(cString: number.objCType)
    return type == "c" || type == "B"
  }
}
