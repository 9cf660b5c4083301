"""The manifests of deploy/kuberay, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from known_fields import unknown_fields

FOLDER = Path(__file__).parents[2] / "deploy" / "kuberay"
FILES = sorted(FOLDER.glob("*.yaml"))


def manifests(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def cluster_of(manifest: dict[str, Any]) -> dict[str, Any]:
    return manifest["spec"].get("rayClusterSpec", manifest["spec"])


CLUSTERS = [cluster_of(manifests(FOLDER / name)[0]) for name in ("raycluster.yaml", "rayjob.yaml")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_known_fields(path):
    for manifest in manifests(path):
        assert unknown_fields(manifest) == []


def test_a_misspelt_field_is_noticed():
    manifest = manifests(FOLDER / "rayjob.yaml")[0]
    manifest["spec"]["backofLimit"] = 1
    manifest["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["volumeMount"] = []
    assert unknown_fields(manifest) == [
        ".spec.backofLimit",
        ".spec.rayClusterSpec.headGroupSpec.template.spec.containers[0].volumeMount",
    ]


def test_the_job_has_the_same_nodes_as_the_cluster():
    assert CLUSTERS[0] == CLUSTERS[1]


def test_everything_is_in_one_namespace():
    for path in FILES:
        for manifest in manifests(path):
            if manifest["kind"] != "Namespace":
                assert manifest["metadata"]["namespace"] == "suphx"


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_tokens_are_asked_for_and_no_port_is_opened_to_the_outside(cluster):
    assert cluster["authOptions"] == {"mode": "token"}
    assert cluster["headGroupSpec"]["serviceType"] == "ClusterIP"


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_pod_runs_as_root_or_may_become_it(cluster):
    for group in [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]:
        pod = group["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False


def test_the_head_keeps_runs_on_the_claimed_disk():
    claims = [each["metadata"]["name"] for each in manifests(FOLDER / "namespace.yaml") if "Claim" in each["kind"]]
    pod = CLUSTERS[0]["headGroupSpec"]["template"]["spec"]
    volume = {each["name"]: each["persistentVolumeClaim"]["claimName"] for each in pod["volumes"]}
    container = pod["containers"][0]
    mounts = {each["mountPath"]: volume[each["name"]] for each in container["volumeMounts"]}
    runs = {each["name"]: each["value"] for each in container["env"]}["SUPHX_RUNS"]
    assert mounts[runs] in claims


def test_gpus_go_with_the_image_that_has_cuda():
    for group in CLUSTERS[0]["workerGroupSpecs"]:
        pod = group["template"]["spec"]
        wants_gpu = "nvidia.com/gpu" in pod["containers"][0]["resources"]["limits"]
        assert pod["containers"][0]["image"].endswith(":cuda" if wants_gpu else ":cpu")
        assert ("tolerations" in pod) == wants_gpu


def test_pods_compile_before_ray_starts():
    job = manifests(FOLDER / "rayjob.yaml")[0]
    assert job["metadata"]["annotations"]["ray.io/overwrite-container-cmd"] == "true"
    for group in [CLUSTERS[0]["headGroupSpec"], *CLUSTERS[0]["workerGroupSpecs"]]:
        (command,) = group["template"]["spec"]["containers"][0]["args"]
        assert command.index("suphx warmup") < command.index("$KUBERAY_GEN_RAY_START_CMD")
