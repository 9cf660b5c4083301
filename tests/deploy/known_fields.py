"""The fields of Kubernetes' and KubeRay's objects that deploy/kuberay uses, as their references name them.

KubeRay: the Go types of its API `ray.io/v1` as of release 1.7. Kubernetes: API 1.37. A field that is not here may be a
slip of the pen: look it up, then add it.
"""

from __future__ import annotations

from typing import Any

#: A leaf that holds a value; a mapping with free keys; a list of one kind of thing.
VALUE = None
FREE: dict[str, Any] = {"*": VALUE}

_METADATA = {"name": VALUE, "namespace": VALUE, "labels": FREE, "annotations": FREE}
_SECURITY = {
    "runAsNonRoot": VALUE,
    "runAsUser": VALUE,
    "runAsGroup": VALUE,
    "fsGroup": VALUE,
    "seccompProfile": {"type": VALUE},
    "allowPrivilegeEscalation": VALUE,
    "capabilities": {"drop": [VALUE]},
}
_POD = {
    "automountServiceAccountToken": VALUE,
    "securityContext": _SECURITY,
    "tolerations": [{"key": VALUE, "operator": VALUE, "effect": VALUE}],
    "volumes": [{"name": VALUE, "persistentVolumeClaim": {"claimName": VALUE}}],
    "containers": [
        {
            "name": VALUE,
            "image": VALUE,
            "command": [VALUE],
            "args": [VALUE],
            "securityContext": _SECURITY,
            "env": [{"name": VALUE, "value": VALUE}],
            "ports": [{"name": VALUE, "containerPort": VALUE}],
            "resources": {"requests": FREE, "limits": FREE},
            "volumeMounts": [{"name": VALUE, "mountPath": VALUE}],
        }
    ],
}
_TEMPLATE = {"metadata": _METADATA, "spec": _POD}
_CLUSTER = {
    "rayVersion": VALUE,
    "authOptions": {"mode": VALUE, "secretName": VALUE},
    "headGroupSpec": {"serviceType": VALUE, "rayStartParams": FREE, "template": _TEMPLATE},
    "workerGroupSpecs": [
        {
            "groupName": VALUE,
            "replicas": VALUE,
            "minReplicas": VALUE,
            "maxReplicas": VALUE,
            "rayStartParams": FREE,
            "template": _TEMPLATE,
        }
    ],
}
_JOB = {
    "entrypoint": VALUE,
    "backoffLimit": VALUE,
    "shutdownAfterJobFinishes": VALUE,
    "ttlSecondsAfterFinished": VALUE,
    "rayClusterSpec": _CLUSTER,
}
_CLAIM = {"accessModes": [VALUE], "storageClassName": VALUE, "resources": {"requests": FREE}}
_SELECTOR = {"matchLabels": FREE, "matchExpressions": [{"key": VALUE, "operator": VALUE, "values": [VALUE]}]}
_POLICY = {
    "podSelector": _SELECTOR,
    "policyTypes": [VALUE],
    "ingress": [
        {
            "from": [{"podSelector": _SELECTOR, "namespaceSelector": _SELECTOR}],
            "ports": [{"protocol": VALUE, "port": VALUE}],
        }
    ],
}

#: By (apiVersion, kind): what stands under `spec`.
SPECS: dict[tuple[str, str], dict[str, Any]] = {
    ("v1", "Namespace"): {},
    ("v1", "PersistentVolumeClaim"): _CLAIM,
    ("networking.k8s.io/v1", "NetworkPolicy"): _POLICY,
    ("ray.io/v1", "RayCluster"): _CLUSTER,
    ("ray.io/v1", "RayJob"): _JOB,
}


def unknown_fields(manifest: dict[str, Any]) -> list[str]:
    """Return the paths of fields that are not known; a kind that is not known is one of them."""
    kind = manifest.get("apiVersion", ""), manifest.get("kind", "")
    if kind not in SPECS:
        return [f"{kind[0]} {kind[1]}"]
    shape = {"apiVersion": VALUE, "kind": VALUE, "metadata": _METADATA, "spec": SPECS[kind]}
    return sorted(_unknown(manifest, shape, ""))


def _unknown(found: Any, shape: Any, path: str) -> list[str]:
    if isinstance(shape, list):
        if not isinstance(found, list):
            return [f"{path}: no list"]
        return [each for number, item in enumerate(found) for each in _unknown(item, shape[0], f"{path}[{number}]")]
    if isinstance(shape, dict):
        if not isinstance(found, dict):
            return [f"{path}: no mapping"]
        free = "*" in shape
        missing = [f"{path}.{key}" for key in found if key not in shape and not free]
        inside = [
            each
            for key, value in found.items()
            if key in shape or free
            for each in _unknown(value, shape.get(key, VALUE) if not free else VALUE, f"{path}.{key}")
        ]
        return missing + inside
    return [f"{path}: no plain value"] if isinstance(found, dict | list) else []
