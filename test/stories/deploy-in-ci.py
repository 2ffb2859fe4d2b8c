"""What a pipeline does with the control plane, by requests alone, in the order of the original's documentation."""

import os
import time

import requests

BASE = os.environ["CONTROL_PLANE_HOST"]
SOURCE = os.environ["SOURCE"]
session = requests.Session()
session.headers.update({"X-Api-Key": os.environ["API_KEY"], "X-Tenant-Id": os.environ["WORKSPACE_ID"]})


def call(method, path, expected, **more):
    answer = session.request(method, BASE + path, timeout=60, **more)
    assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json() if answer.content else None


def wait_for(deployment_id, revision_id):
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        status = call("GET", f"/v2/deployments/{deployment_id}/revisions/{revision_id}", 200)["status"]
        if status == "DEPLOYED":
            return
        assert "FAILED" not in status, status
        time.sleep(0.5)
    raise AssertionError(f"{revision_id} did not come to serve in time")


def latest(deployment_id):
    return call("GET", f"/v2/deployments/{deployment_id}/revisions", 200)["resources"][0]["id"]


def upload(deployment_id):
    address = call("POST", f"/v2/deployments/{deployment_id}/upload-url", 200)
    with open(os.environ["ARCHIVE"], "rb") as archive:
        headers = {"Content-Type": "application/gzip", "X-Goog-Content-Length-Range": "0,209715200"}
        put = requests.put(address["upload_url"], data=archive, headers=headers, timeout=60)
    assert put.status_code == 200, put.text
    return address["object_path"]


uploaded = {
    "source": "internal_source",
    "source_config": {"deployment_type": "dev", "resource_spec": None, "custom_url": None},
    "source_revision_config": {"langgraph_config_path": "langgraph.json", "image_uri": None},
}
from_git = {
    "source": "github",
    "source_config": {
        "integration_id": None,
        "repo_url": os.environ.get("REPO_URL"),
        "deployment_type": "dev",
        "build_on_push": False,
        "custom_url": None,
        "resource_spec": None,
    },
    "source_revision_config": {"repo_ref": "main", "langgraph_config_path": "langgraph.json", "image_uri": None},
}
body = {**(from_git if SOURCE == "git" else uploaded), "name": f"pipeline-{SOURCE}"}
created = call("POST", "/v2/deployments", 201, json={**body, "secrets": [{"name": "MY_TOKEN", "value": "first"}]})
deployment = created["id"]

if SOURCE == "uploaded":
    patch = {"revision_source": "internal_source", "source_revision_config": {"source_tarball_path": upload(deployment)}}
    call("PATCH", f"/v2/deployments/{deployment}", 200, json=patch)
first = latest(deployment)
wait_for(deployment, first)
assert call("GET", f"/v2/deployments/{deployment}", 200)["active_revision_id"] == first

config = {"langgraph_config_path": "langgraph.json", **({"repo_ref": "main"} if SOURCE == "git" else {})}
call("PATCH", f"/v2/deployments/{deployment}", 200, json={"source_revision_config": config})
second = latest(deployment)
assert second != first, "a patch that names what makes a revision makes one"
wait_for(deployment, second)

# As the original's Terraform provider goes about an update: what is no revision by PATCH, the revision by itself.
call("PATCH", f"/v2/deployments/{deployment}", 200, json={"display_name": "Pipeline", "source_config": {"build_on_push": False}})
asked = {"source_revision_config": config, "secrets": [{"name": "MY_TOKEN", "value": "second"}]}
third = call("POST", f"/v2/deployments/{deployment}/revisions", 201, json=asked)["id"]
wait_for(deployment, third)
assert latest(deployment) == third

call("DELETE", f"/v2/deployments/{deployment}", 204)
for _ in range(240):
    gone = session.get(f"{BASE}/v2/deployments/{deployment}", timeout=60).status_code
    if gone == 404:
        break
    time.sleep(0.5)
assert gone == 404, gone
