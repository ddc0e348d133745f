"""An agent by the client of the package `mcp`: what is refused, and how an honest one gets to the end.

Arguments: the binary, the repository, the policy, the state directory.
"""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

BINARY, REPOSITORY, POLICY, STATE = sys.argv[1:]


async def main() -> None:
    args = ["mcp", "--policy", POLICY, "--state-dir", STATE]
    server = StdioServerParameters(command=BINARY, args=args, cwd=REPOSITORY, env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        begun = await session.initialize()
        assert "verify_profile" in begun.instructions, begun
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert "verify_profile" in tools and len(tools) == 9, tools

        heard = []

        async def call(name, **arguments):
            async def progress(done, total, message):
                heard.append(message)

            # The client holds the document against the schema of its tool.
            answer = await session.call_tool(name, arguments, progress_callback=progress)
            return answer.model_dump(by_alias=True)

        assert not (await call("begin_session"))["isError"]
        for wrong in ("a --fast", "../a", "nothing"):
            refused = await call("verify_profile", profile=wrong)
            assert refused["isError"] and "takes no arguments" in refused["content"][0]["text"], refused
        denied = await call("complete_session")
        assert denied["isError"] and "next: verify_profile a" in denied["content"][0]["text"], denied
        for profile in ("a", "b"):
            ran = await call("verify_profile", profile=profile)
            assert ran["structuredContent"]["verified"]["outcome"] == "passed", ran
        assert heard and "verify_profile goes on" in heard[-1], heard
        done = await call("complete_session")
        assert done["structuredContent"]["state"] == "completed", done
    print("done")


asyncio.run(main())
