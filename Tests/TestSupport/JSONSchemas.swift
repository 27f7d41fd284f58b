import Foundation

/// The JSON Schemas of `pipelines/schemas/json/`, and Debian's `python3-jsonschema` to judge by
/// them, which is independent of the program's own code.
package enum JSONSchemas {
  /// Documents to judge by one schema.
  package struct Job: Encodable, Sendable {
    /// The form of the documents: one JSON value, one on each line, or YAML as the program reads
    /// it, `${…}` and the core schema of YAML 1.2 included.
    package enum Format: String, Encodable, Sendable {
      case json, jsonl, yaml
    }
    /// The name of a file of `pipelines/schemas/json/`, without `.schema.json`.
    package var schema: String
    package var format: Format
    package var text: String
    /// Changes of the documents: `/path/to/member = JSON`, or a path alone to leave the member out.
    package var changes: [String]

    package init(_ schema: String, _ format: Format, _ text: String, changes: [String] = []) {
      self.schema = schema
      self.format = format
      self.text = text
      self.changes = changes
    }
  }

  /// The result for the documents of one job.
  package struct Verdict: Decodable, Equatable, Sendable {
    package var documents: Int
    /// The mistakes, each as `document: place: what is wrong`.
    package var errors: [String]
  }

  /// Judges each job's documents by the schemas of a folder, or else by those that are shipped. If
  /// a schema is itself invalid, that is an error of its own.
  package static func judge(
    _ jobs: [Job], folder: String = Repository.root + "/pipelines/schemas/json"
  ) throws -> [Verdict] {
    let input = try JSONEncoder().encode(jobs)
    let answer = try Python.run(
      script, [folder], input: Array(input), packages: "python3-jsonschema and python3-yaml")
    return try JSONDecoder().decode([Verdict].self, from: answer)
  }

  private static let script = #"""
    import json, os, re, sys
    import jsonschema, yaml

    folder = sys.argv[1]
    schemas = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".schema.json"): continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            schemas[name] = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schemas[name])

    class Core(yaml.SafeLoader):
        pass
    Core.yaml_implicit_resolvers = {}
    for tag, pattern, first in [
        ("null", r"^(?:~|null|Null|NULL|)$", "~nN\0"),
        ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
        ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
    ]:
        Core.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))

    def plain(value):
        if isinstance(value, dict):
            members = {}
            for key, member in value.items():
                name = key if isinstance(key, str) else json.dumps(key)
                # A key without a value counts as left out.
                if member is not None: members[name] = plain(member)
            return members
        if isinstance(value, list):
            return [plain(element) for element in value]
        return value.replace("\ue000", "${").replace("\ue001", "}") if isinstance(value, str) else value

    def documents(job):
        text = job["text"]
        if job["format"] == "json": return [json.loads(text)]
        if job["format"] == "jsonl": return [json.loads(line) for line in text.split("\n") if line]
        hidden = re.sub(r"\$\{([^{}\r\n]*)\}", "\ue000\\1\ue001", text)
        return [plain(yaml.load(hidden, Loader=Core))]

    def change(document, path, value):
        for step in path[:-1]:
            if isinstance(document, list): document = document[int(step)]
            else: document = document.setdefault(step, {})
        last = int(path[-1]) if isinstance(document, list) else path[-1]
        if value: document[last] = json.loads(value)
        else: document.pop(last, None)

    verdicts = []
    for job in json.load(sys.stdin):
        name = job["schema"] + ".schema.json"
        base = "file://" + folder + "/"
        resolver = jsonschema.RefResolver(
            base + name, schemas[name], store={base + other: schemas[other] for other in schemas})
        validator = jsonschema.Draft202012Validator(schemas[name], resolver=resolver)
        found = documents(job)
        for text in job["changes"]:
            path, _, value = text.partition(" = ")
            for document in found: change(document, path.split("/")[1:], value)
        verdicts.append({"documents": len(found), "errors": [
            "%d: %s: %s" % (index + 1, error.json_path, error.message[:300])
            for index, document in enumerate(found) for error in validator.iter_errors(document)]})
    json.dump(verdicts, sys.stdout)
    """#
}
