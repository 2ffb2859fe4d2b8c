"""Reads manifests on standard input and prints them as JSON, a list; with versions, says which break the schemas of those Kubernetes."""

import json
import sys

import kubernetes_validate
import yaml

# Operators bring these kinds, so Kubernetes has no schemas of them: custom-kinds.mjs checks them by their own.
CUSTOM = ("postgresql.cnpg.io", "gateway.networking.k8s.io")

documents = [one for one in yaml.safe_load_all(sys.stdin) if one]
if len(sys.argv) == 1:
    print(json.dumps(documents))
for version in sys.argv[1:]:
    for one in documents:
        if one["apiVersion"].split("/")[0] in CUSTOM:
            continue
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except Exception as error:
            print(version, one["kind"], one["metadata"]["name"], error)
