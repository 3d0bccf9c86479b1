"""A Modbus device for tests, made of pymodbus: prints its port, then each request that comes, as lines of JSON.

The one argument is a device as JSON: for each table a list of {"address", "type", "values"}, types by the names of pymodbus.
It ends with its standard input.
"""

import asyncio
import json
import sys

from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

TABLES = ["coil", "discrete", "holding", "input"]


def say(line):
    print(json.dumps(line), flush=True)


def told(is_sent, pdu):
    if not is_sent:
        say({"function": pdu.function_code, "address": pdu.address, "count": pdu.count})
    return pdu


def block(entry):
    is_float = entry["type"].startswith("FLOAT")
    values = [float(value) if is_float else value for value in entry["values"]]
    return SimData(entry["address"], values=values, datatype=DataType[entry["type"]])


async def main():
    tables = json.loads(sys.argv[1])
    device = SimDevice(tables["unit"], tuple([block(entry) for entry in tables[name]] for name in TABLES))
    server = ModbusTcpServer(device, address=("127.0.0.1", 0), trace_pdu=told)
    await server.serve_forever(background=True)
    say({"port": server.transport.sockets[0].getsockname()[1]})
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.shutdown()


asyncio.run(main())
