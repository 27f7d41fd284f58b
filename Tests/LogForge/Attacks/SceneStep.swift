internal import Minting

extension SceneText.Step {
  func has(_ word: Substring) -> Bool { words.contains(word) }

  /// Returns the value of the word `name=value`.
  func value(_ name: String) -> Substring? {
    words.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
  }

  var server: Int? { value("server").flatMap { Int($0) } }

  /// Returns the seconds of a word as milliseconds.
  func time(_ place: Int) -> Int64 {
    let parts = words[place].split(separator: ".")
    let fraction =
      parts.count > 1 ? parts[1] + String(repeating: "0", count: 3 - parts[1].count) : "000"
    guard let time = Int64(parts[0] + fraction) else {
      preconditionFailure("no time: \(words[place])")
    }
    return time
  }

  /// Returns the map of the word `build=`, if there is one.
  func build(of device: Device, _ random: inout ForgeRandom) -> [UInt8]? {
    guard let parts = value("build")?.split(separator: ":") else { return nil }
    let (version, app) = (String(parts[0]), device.app)
    let honest = app.codeHash(of: device.bundleVersion)
    let codes: [Substring: [UInt8]] = [
      "modified": app.codeHash(of: "modified"), "cut": honest.dropLast(),
      "modified20": Array(app.codeHash(of: "modified").prefix(20)),
      // The first 20 bytes are right, the others are not; or there are no others.
      "flipped": honest.dropLast() + [honest[31] ^ 1],
      "first20": Array(app.codeHash(of: version).prefix(20)),
    ]
    return device.extensionMap(
      code: parts.count > 2 ? codes[parts[2]] : nil, bundleVersion: version,
      category: UInt32(parts[1]) ?? 0, &random)
  }
}

/// A recipe with times after the beginning of a scene.
struct SceneRecipe: Editable {
  var recipe: AttestationRecipe
  /// In milliseconds since 1970.
  let start: Int64

  func bytes(_ name: Substring) -> [UInt8]? { recipe.bytes(name) }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    // Seconds.
    case "notBefore": recipe.notBefore = start / 1000 + Int64(value.number)
    case "notAfter": recipe.notAfter = start / 1000 + Int64(value.number)
    case "lifetime": recipe.notAfter = recipe.notBefore + Int64(value.number)
    // Milliseconds: Apple's two clocks, or the receipt's alone.
    case "created", "receiptCreated":
      let created = start + Int64(value.number)
      recipe.receipt.created = CalendarTime.rfc3339(created)
      if name == "created" { recipe.leafSerial = CBORWriter.bigEndian(UInt64(created), 6) }
    default: recipe.set(name, to: value)
    }
  }
}
