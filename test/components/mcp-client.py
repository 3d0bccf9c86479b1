"""An agent for tests, made of the package mcp: calls tools of a server, and prints what it was told as JSON.

The one argument is JSON: where the server is, by "url" and "token" or by "command", "args" and "env"; the "mode" of the
client, and its "calls" as pairs of a name and its input. Answers that do not fit the schema of their tool end it.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def transport(asked, stack):
    if "command" in asked:
        return StdioServerParameters(command=asked["command"], args=asked["args"], env=asked["env"])
    headers = {"Authorization": f"Bearer {asked['token']}"}
    http = await stack.enter_async_context(create_mcp_http_client(headers=headers))
    return streamable_http_client(asked["url"], http_client=http)


async def call(client, tool, name, given):
    answer = await client.call_tool(name, given)
    if not answer.is_error:
        jsonschema.Draft202012Validator(tool.output_schema).validate(answer.structured_content)
    texts = [part.text for part in answer.content]
    return {"isError": answer.is_error, "text": "".join(texts), "value": answer.structured_content}


async def main(asked):
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(await transport(asked, stack), mode=asked["mode"]))
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        replies = [await call(client, tools.get(name), name, given) for name, given in asked["calls"]]
        print(json.dumps({"tools": sorted(tools), "replies": replies}))


asyncio.run(main(json.loads(sys.argv[1])))
