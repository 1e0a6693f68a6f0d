"""The server's doors: MCP, the OpenAI-compatible endpoint, and the studio behind its own token."""

import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent
from mcp.types import Tool as McpTool
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from transputer.serve.calls import Calls
from transputer.serve.limits import ServeLimits
from transputer.serve.tools import TOOLS, ToolError, content
from transputer.studio.app import Studio
from transputer.studio.guard import App, Guard, Receive, Scope, Send
from transputer.studio.limits import StudioLimits
from transputer.studio.runs import Sessions
from transputer.version import __version__

Json = dict[str, Any]
_ABOUT = (
    "Exact computation by a transformer whose weights execute programs. Use `calculate` for "
    "arithmetic, `ask` for questions in words, `run` for programs. Answers are exact, or an "
    "error says why there is none; never replace an error by a guess."
)


def mcp_server(calls: Calls) -> Server[Any]:
    """Return the MCP server of the tools."""

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                McpTool(name=tool.name, description=tool.doc, input_schema=tool.schema)
                for tool in TOOLS.values()
            ]
        )

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        try:
            text, failed = content(await calls.call(params.name, params.arguments or {})), False
        except ToolError as error:
            text, failed = str(error), True
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)

    return Server(
        "transputer",
        version=__version__,
        instructions=_ABOUT,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def run_stdio(calls: Calls) -> None:
    """Serve one client on standard input and output."""
    server = mcp_server(calls)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


class OpenAiDoor:
    """The tools for clients of the chat protocol: their list, and the answers to tool calls."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/v1/tools", self.tools, methods=["GET"]),
            Route("/v1/tool_calls", self.tool_calls, methods=["POST"]),
        ]

    async def tools(self, request: Request) -> Response:
        """Answer with the tools, as `tools` of a chat request has them."""
        return JSONResponse({
            "tools": [
                {"type": "function", "function": {
                    "name": tool.name, "description": tool.doc, "parameters": tool.schema,
                }}
                for tool in TOOLS.values()
            ]
        })  # fmt: skip

    async def tool_calls(self, request: Request) -> Response:
        """Answer an assistant's `tool_calls` with the messages of the role `tool`."""
        try:
            body = await self._body(request)
            wanted = body.get("tool_calls")
            if not isinstance(wanted, list) or not 1 <= len(wanted) <= self.calls.limits.calls * 4:
                raise ToolError("`tool_calls` must be a list of calls")
            return JSONResponse({"messages": [await self._message(one) for one in wanted]})
        except ToolError as error:
            return JSONResponse({"error": {"message": str(error)}}, status_code=error.status)
        except ClientDisconnect:
            return JSONResponse({"error": {"message": "disconnected"}}, status_code=400)

    async def _message(self, call: object) -> Json:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(function, dict):
            raise ToolError("a call has `id` and `function`")
        try:
            arguments = json.loads(str(function.get("arguments", "{}")))
            answer = content(await self.calls.call(str(function.get("name")), arguments))
        except (ValueError, RecursionError):
            answer = json.dumps({"error": "the arguments are not JSON"})
        except ToolError as error:
            answer = json.dumps({"error": str(error)})
        return {"role": "tool", "tool_call_id": str(call.get("id", ""))[:200], "content": answer}

    async def _body(self, request: Request) -> Json:
        """Return the JSON object in a request's body; read no more than the limit."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.calls.limits.body:
                raise ToolError(f"a request has at most {self.calls.limits.body:,} bytes", 413)
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            raise ToolError("the request is not JSON") from None
        if not isinstance(value, dict):
            raise ToolError("the request is not a JSON object")
        return value


class TokenGuard:
    """Admits requests to this machine with `Authorization: Bearer TOKEN`, and to the studio."""

    def __init__(self, app: App, studio: App, token: str, port: int, path: str) -> None:
        self._app, self._studio, self._path = app, studio, f"/{path}/"
        self._bearer = f"Bearer {token}".encode()
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and scope["path"].startswith(self._path):
            await self._studio(scope, receive, send)
        elif scope["type"] == "http" and self._admitted(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = {"www-authenticate": "Bearer", "cache-control": "no-store"}
            refusal = JSONResponse(
                {"error": {"message": "needs the token that `transputer serve` printed"}},
                status_code=401, headers=headers,
            )  # fmt: skip
            await refusal(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _admitted(self, scope: Scope) -> bool:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        tokens = [value for name, value in headers if name == b"authorization"]
        if len(hosts) != 1 or hosts[0] not in self._hosts or len(tokens) != 1:
            return False
        if any(origin not in {b"http://" + host for host in self._hosts} for origin in origins):
            return False
        return hmac.compare_digest(tokens[0], self._bearer)


_OPEN = "<!doctype html><meta charset=utf-8><title>Transputer</title><script src={}></script>"


def _open_routes(calls: Calls) -> list[Route]:
    """The pages that put a run into the studio's editor and go there."""

    def work(request: Request) -> Json | None:
        return calls.works.get(request.path_params["name"])

    async def page(request: Request) -> Response:
        if work(request) is None:
            return HTMLResponse("this run is not kept any more", status_code=410)
        return HTMLResponse(_OPEN.format(f"{request.path_params['name']}.js"))

    async def script(request: Request) -> Response:
        text = json.dumps(json.dumps(work(request)))
        code = f'sessionStorage.setItem("work", {text}); location.replace("../");'
        return Response(code, media_type="text/javascript")

    return [Route("/open/{name}.js", script), Route("/open/{name}", page)]


def application(
    token: str, path: str, port: int, limits: ServeLimits | None = None
) -> tuple[Any, Calls]:
    """Return the server as an ASGI application, and its calls; `path` is the studio's token."""
    limits = limits or ServeLimits()
    calls = Calls(limits, f"http://127.0.0.1:{port}/{path}/")
    server = mcp_server(calls)
    inner = server.streamable_http_app(max_request_body_size=limits.body)
    inner.router.routes.extend(OpenAiDoor(calls).routes())
    studio = Studio(StudioLimits())
    pages = Starlette(routes=[*_open_routes(calls), *studio.routes()])
    before = inner.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        studio.sessions = Sessions(studio.limits)
        async with before(app):
            yield
        studio.sessions.close()

    inner.router.lifespan_context = lifespan
    return TokenGuard(inner, Guard(pages, path, port), token, port, path), calls
