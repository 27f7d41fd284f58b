"""Reads metrics as Prometheus does. TestSupport/PrometheusText.swift asks."""

import json, sys
from prometheus_client.parser import text_string_to_metric_families

families = [
    {"name": family.name, "samples": [
        {"name": sample.name, "labels": sample.labels, "value": sample.value}
        for sample in family.samples]}
    for family in text_string_to_metric_families(sys.stdin.read())]
seen = set()
for family in families:
    # node_exporter refuses a file in which a metric is said twice.
    assert family["name"] not in seen, "twice: " + family["name"]
    seen.add(family["name"])
json.dump(families, sys.stdout)
