/// The schemas that come with the program. They are the files of `pipelines/schemas`, linked from
/// `Shipped/`, and are embedded when the program is built.
package enum ShippedSchemas {
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("default", PackageResources.default_yaml),
    ("capgo", PackageResources.capgo_yaml),
    ("device-integrity", PackageResources.device_integrity_yaml),
    ("swiftui", PackageResources.swiftui_yaml),
    ("header-assertion", PackageResources.header_assertion_yaml),
    ("nginx-json", PackageResources.nginx_json_yaml),
    ("envoy", PackageResources.envoy_yaml),
    ("otel", PackageResources.otel_yaml),
    ("gcp", PackageResources.gcp_yaml),
    ("cloudwatch", PackageResources.cloudwatch_yaml),
    ("aws-apigw", PackageResources.aws_apigw_yaml),
    ("cloudfront", PackageResources.cloudfront_yaml),
  ]

  /// The names of all, in the order in which they are listed.
  package static let names = files.map(\.name)

  /// Returns the text of the schema's file, or nil if no schema has that name.
  static func text(of name: String) -> String? {
    files.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
