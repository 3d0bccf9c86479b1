"""An S3-compatible store for tests, made of moto: prints its port as a line of JSON, and ends with its standard input.

It keeps everything in memory, and checks no signatures.
"""

import json
import logging
import sys

from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
_, port = server.get_host_and_port()
print(json.dumps({"port": port}), flush=True)
sys.stdin.read()
server.stop()
