"""The server's routes: one page, and the JSON interface that it calls."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from transputer.errors import TransputerError
from transputer.runtime.learn import cannot_learn, learn_tasks
from transputer.studio.assets import Asset, assets, examples
from transputer.studio.checks import RequestError, job_of, learn_job, number, session_name, spots
from transputer.studio.guard import Guard
from transputer.studio.limits import StudioLimits
from transputer.studio.machines import as_json, watchable
from transputer.studio.runs import Run, RunExpired, Session, Sessions

Json = dict[str, Any]
Handler = Callable[[Request], Awaitable[Response]]
#: Seconds between two keep-alive messages on an event stream, and the least between two events.
ALIVE, PACE = 10.0, 0.1
#: Queries about a step, and their optional numbers with the defaults.
LOOKS: dict[str, dict[str, int]] = {
    "look": {"address": 0, "count": 256},
    "step": {},
    "state": {"address": 0, "count": 256},
    "layers": {},
    "tokens": {"before": 24, "after": 8},
}


class Studio:
    """The request handlers and their shared state."""

    def __init__(self, limits: StudioLimits) -> None:
        self.limits = limits
        self.sessions: Sessions
        self._assets = assets()

    def routes(self) -> list[Route]:
        """Return all routes."""
        handlers: list[tuple[str, str, Handler]] = [
            ("GET", "offer", self.offer),
            ("GET", "status", self.status),
            ("GET", "events", self.events),
            ("POST", "run", self.run),
            ("POST", "compile", self.compile),
            ("POST", "cancel", self.cancel),
            *(("POST", name, self._query(name)) for name in LOOKS),
            ("POST", "search", self.search),
            ("POST", "learn", self.learn),
            ("GET", "learned", self.learned),
        ]
        api = [
            Route(f"/api/{name}", self._safely(handler), methods=[method])
            for method, name, handler in handlers
        ]
        return [*api, Route("/{name:path}", self._safely(self.asset), methods=["GET"])]

    def _safely(self, handler: Handler) -> Handler:
        """Wrap a handler so that an error becomes a JSON answer."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestError as error:
                return _problem(str(error), error.status)
            except RunExpired as error:
                return _problem(str(error), 410)
            except TransputerError as error:
                return _problem(str(error), 422)
            except ClientDisconnect:
                return _problem("the client disconnected", 400)

        return answer

    async def _body(self, request: Request) -> Json:
        """Return the JSON object in a request's body; read no more than the limit."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.limits.body:
                raise RequestError(f"a request has at most {self.limits.body:,} bytes", 413)
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            raise RequestError("the request is not JSON") from None
        if not isinstance(value, dict):
            raise RequestError("the request is not a JSON object")
        return value

    # Pages

    async def asset(self, request: Request) -> Response:
        """Answer with a file of the page."""
        name = request.path_params["name"] or "index.html"
        asset: Asset | None = self._assets.get(name)
        if asset is None:
            raise RequestError("there is no such page", 404)
        return Response(asset.content, media_type=asset.kind)

    async def offer(self, request: Request) -> Response:
        """Answer with the choices: machines, examples, limits, tasks."""
        return JSONResponse({
            "machines": [as_json(machine) for machine in watchable()],
            "examples": examples(),
            "limits": self.limits.as_json(),
            "tasks": learn_tasks(),
            "cannot_learn": cannot_learn(),
        })  # fmt: skip

    # Runs

    async def run(self, request: Request) -> Response:
        """Start a run; it replaces the session's last one."""
        body = await self._body(request)
        job = job_of(body, self.limits)
        session = self._session(body.get("session"))
        await self.sessions.start(session, job)
        return JSONResponse(session.status())

    async def compile(self, request: Request) -> Response:
        """Answer with the errors of a source, or with its functions if there are none."""
        job = job_of(await self._body(request), self.limits) | {"kind": "compile"}
        return JSONResponse(await self.sessions.once(job))

    async def cancel(self, request: Request) -> Response:
        """End a run; its steps so far remain."""
        session = self._session((await self._body(request)).get("session"))
        if session.run is not None:
            await session.run.cancel()
        return JSONResponse(session.status())

    async def status(self, request: Request) -> Response:
        """Answer with the status of a run."""
        return JSONResponse(self._session(request.query_params.get("session")).status())

    async def events(self, request: Request) -> Response:
        """Stream the status whenever it changes, as server-sent events."""
        session = self._session(request.query_params.get("session"))
        if session.streams >= self.limits.streams:
            raise RequestError("too many event streams", 429)
        stream = self._stream(request, session)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _stream(self, request: Request, session: Session) -> AsyncIterator[str]:
        session.streams += 1
        try:
            while not await request.is_disconnected():
                version = session.version
                yield f"data: {json.dumps(session.status())}\n\n"
                await asyncio.sleep(PACE)
                if version == session.version:
                    await session.news(ALIVE)
        finally:
            session.streams -= 1

    def _session(self, name: object) -> Session:
        return self.sessions.get(session_name(name))

    # Looking

    async def _run_and_body(self, request: Request) -> tuple[Run, Json]:
        """Return the run that a request is about, and the request's body."""
        body = await self._body(request)
        session = self._session(body.get("session"))
        if session.run is None:
            raise RunExpired("there is no run yet")
        if body.get("run") not in (None, session.number):
            raise RunExpired("that run was replaced by another one")
        return session.run, body

    def _query(self, method: str) -> Handler:
        """Return the handler of a query about one step, with its optional numbers."""

        async def answer(request: Request) -> Response:
            run, body = await self._run_and_body(request)
            options = {name: number(body, name, default) for name, default in LOOKS[method].items()}
            return JSONResponse(await run.ask(method, number=number(body, "step", 1), **options))

        return answer

    async def search(self, request: Request) -> Response:
        """Answer with the step that a move leads to."""
        run, body = await self._run_and_body(request)
        how = body.get("how")
        if not isinstance(how, str):
            raise RequestError("`how` must be the name of a move")
        return JSONResponse(
            await run.ask("search", step=number(body, "step", 1), how=how, breaks=spots(body))
        )

    # Learning

    async def learn(self, request: Request) -> Response:
        """Start to learn a task; this replaces the session's last run."""
        body = await self._body(request)
        job = learn_job(body, learn_tasks())
        session = self._session(body.get("session"))
        await self.sessions.start(session, job)
        return JSONResponse(session.status())

    async def learned(self, request: Request) -> Response:
        """Answer with the learner's progress records from `first` on."""
        session = self._session(request.query_params.get("session"))
        first = request.query_params.get("first", "0")
        if session.run is None or not first.isdigit():
            raise RunExpired("there is nothing learned yet")
        return JSONResponse({"watched": session.run.watched[int(first[:9]) :][:200]})


def _problem(message: str, status: int) -> Response:
    return JSONResponse({"problem": message}, status_code=status)


def application(token: str, port: int, limits: StudioLimits | None = None) -> Any:
    """Return the server as an ASGI application."""
    studio = Studio(limits or StudioLimits())

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        studio.sessions = Sessions(studio.limits)
        yield
        studio.sessions.close()

    return Guard(Starlette(routes=studio.routes(), lifespan=lifespan), token, port)
