"""Writes the frames of the test vectors: headers and bytes come as JSON, and each frame is printed in hex digits."""

import json
import sys

from flow_service_device import device as module

for vector in json.load(sys.stdin):
    print(module._encode_frame(vector["header"], bytes.fromhex(vector["bytes_hex"])).hex())
