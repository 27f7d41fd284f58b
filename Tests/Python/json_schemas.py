"""Judges documents by the JSON Schemas of the folder named by the argument. TestSupport/JSONSchemas.swift asks."""

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
