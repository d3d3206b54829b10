"""What the tests of the package share."""

import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]

IN_CAST = """name: few
seed: 3
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}
jobs: [{name: in, type: incast, senders: 5, receiver: 0, size: 256KiB}]
"""

DOCUMENT = {
    "name": "few",
    "seed": 3,
    "racks": {"count": 2, "servers": 4, "server": "host-400g"},
    "fabric": {"topology": "leaf-spine", "spines": 2, "switch": "spectrum-4"},
    "jobs": [{"name": "in", "type": "incast", "senders": 5, "receiver": 0, "size": "256KiB"}],
}

# The digest that README.md prints for its in-cast.
README_DIGEST = "5aafb85641f20d59d4116c45e4a9a219dca5bb4d3ce19463de68f8b4f4a76120"
