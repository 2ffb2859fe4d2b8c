"""Reads manifests on standard input and prints them as JSON, a list; with a version, says which break its schemas."""

import json
import sys

import kubernetes_validate
import yaml

documents = [one for one in yaml.safe_load_all(sys.stdin) if one]
if len(sys.argv) == 1:
    print(json.dumps(documents))
for version in sys.argv[1:]:
    for one in documents:
        # Kinds of others have no schema there.
        if one["apiVersion"].split("/")[0].endswith((".cnpg.io", "gateway.networking.k8s.io")):
            continue
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except Exception as error:
            print(version, one["kind"], one["metadata"]["name"], error)
