/// The schemas that come with the program, as their files in `pipelines/schemas` have them.
enum ShippedSchemas {
  private static let texts: [(name: String, text: String)] = [
    ("default", defaultSchema), ("capgo", capgo), ("device-integrity", deviceIntegrity),
    ("swiftui", swiftui), ("header-assertion", headerAssertion), ("nginx-json", nginxJson),
    ("envoy", envoy), ("otel", otel), ("gcp", gcp), ("cloudwatch", cloudwatch),
    ("aws-apigw", awsApigw), ("cloudfront", cloudfront),
  ]

  static let names = texts.map(\.name)

  /// The text of the schema's file; nil where none has that name.
  static func text(of name: String) -> String? { texts.first { $0.name == name }?.text }
}
