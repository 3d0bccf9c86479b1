"""A board of a whole service, for tests: what happens is told as JSON lines, until the device ends."""

import asyncio
import json
import sys

from flow_service_device import Refused, connect


def tell(**event: object) -> None:
    print(json.dumps(event), flush=True)


async def main(url: str, credential: str) -> None:
    async with connect(url=url, credential=credential) as device:
        device.on("doubled", lambda value: tell(doubled=value))
        io = [
            {"name": "lux", "direction": "in", "dtype": "float", "on_demand": True},
            {"name": "camera", "direction": "in", "dtype": "image"},
            {"name": "doubled", "direction": "out", "dtype": "float"},
        ]
        await device.report({"board": "a board of tests", "io": io})
        tell(id=device.id, wanted=device.wanted("lux"), config=device.config("lux"))
        tell(published=await device.publish("lux", 4))
        try:
            await device.publish("nothing", 1)
        except Refused as error:
            tell(refused=error.code)
        try:
            await device.frame("camera", b"a text", "text/plain")
        except ValueError as error:
            tell(wrong=str(error))
        tell(sent=await device.frame("camera", b"a picture", "image/png"))
        tell(ended=(await device.ended()).reason)


asyncio.run(main(*sys.argv[1:]))
