"""The server's doors: one page, and a JSON interface behind it."""

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
from transputer.studio.checks import Refused, job_of, learn_job, number, session_name, spots
from transputer.studio.guard import Guard
from transputer.studio.limits import Limits
from transputer.studio.machines import as_json, watchable
from transputer.studio.runs import Gone, Run, Session, Sessions

Json = dict[str, Any]
Handler = Callable[[Request], Awaitable[Response]]
#: Seconds between two signs of life on a stream of events, and at least between two events.
ALIVE, PACE = 10.0, 0.1
#: Questions about a step, and the numbers that they may say, with what is usual.
LOOKS: dict[str, dict[str, int]] = {
    "look": {"address": 0, "count": 256},
    "step": {},
    "state": {"address": 0, "count": 256},
    "layers": {},
    "tokens": {"before": 24, "after": 8},
}


class Studio:
    """The handlers, and what they share."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.sessions: Sessions
        self._assets = assets()

    def routes(self) -> list[Route]:
        """Every path that there is."""
        doors: list[tuple[str, str, Handler]] = [
            ("GET", "offer", self.offer),
            ("GET", "status", self.status),
            ("GET", "events", self.events),
            ("POST", "run", self.run),
            ("POST", "compile", self.compile),
            ("POST", "cancel", self.cancel),
            *(("POST", name, self._shown(name)) for name in LOOKS),
            ("POST", "search", self.search),
            ("POST", "learn", self.learn),
            ("GET", "learned", self.learned),
        ]
        found = [
            Route(f"/api/{name}", self._safely(handler), methods=[method])
            for method, name, handler in doors
        ]
        return [*found, Route("/{name:path}", self._safely(self.asset), methods=["GET"])]

    def _safely(self, handler: Handler) -> Handler:
        """What is wrong with a request becomes an answer."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except Refused as error:
                return _problem(str(error), error.status)
            except Gone as error:
                return _problem(str(error), 410)
            except TransputerError as error:
                return _problem(str(error), 422)
            except ClientDisconnect:
                return _problem("gone", 400)

        return answer

    async def _body(self, request: Request) -> Json:
        """The JSON object that a request brings; no more of it than allowed is ever read."""
        held = bytearray()
        async for chunk in request.stream():
            held += chunk
            if len(held) > self.limits.body:
                raise Refused(f"a request has at most {self.limits.body:,} bytes", 413)
        try:
            found = json.loads(held)
        except (ValueError, RecursionError):
            raise Refused("the request is not JSON") from None
        if not isinstance(found, dict):
            raise Refused("the request is not a JSON object")
        return found

    # Pages

    async def asset(self, request: Request) -> Response:
        """A file of the page."""
        name = request.path_params["name"] or "index.html"
        found: Asset | None = self._assets.get(name)
        if found is None:
            raise Refused("there is no such page", 404)
        return Response(found.content, media_type=found.kind)

    async def offer(self, request: Request) -> Response:
        """What there is to choose from."""
        return JSONResponse({
            "machines": [as_json(machine) for machine in watchable()],
            "examples": examples(),
            "limits": self.limits.as_json(),
            "tasks": learn_tasks(),
            "cannot_learn": cannot_learn(),
        })  # fmt: skip

    # Runs

    async def run(self, request: Request) -> Response:
        """Begin a run in place of the last one."""
        body = await self._body(request)
        job = job_of(body, self.limits)
        session = self._session(body.get("session"))
        await self.sessions.start(session, job)
        return JSONResponse(session.status())

    async def compile(self, request: Request) -> Response:
        """What is wrong with a source, and what functions it has where nothing is."""
        job = job_of(await self._body(request), self.limits) | {"kind": "compile"}
        return JSONResponse(await self.sessions.once(job))

    async def cancel(self, request: Request) -> Response:
        """End a run, with what there is."""
        session = self._session((await self._body(request)).get("session"))
        if session.run is not None:
            await session.run.cancel()
        return JSONResponse(session.status())

    async def status(self, request: Request) -> Response:
        """How far a run is."""
        return JSONResponse(self._session(request.query_params.get("session")).status())

    async def events(self, request: Request) -> Response:
        """The same whenever it changes, as server-sent events."""
        session = self._session(request.query_params.get("session"))
        if session.streams >= self.limits.streams:
            raise Refused("too many streams of events", 429)
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

    async def _asked(self, request: Request) -> tuple[Run, Json]:
        body = await self._body(request)
        session = self._session(body.get("session"))
        if session.run is None:
            raise Gone("nothing was run yet")
        if body.get("run") not in (None, session.number):
            raise Gone("that run was replaced by another one")
        return session.run, body

    def _shown(self, method: str) -> Handler:
        """The handler of a question about one step, with the numbers that it may say."""

        async def show(request: Request) -> Response:
            run, body = await self._asked(request)
            wanted = {name: number(body, name, usual) for name, usual in LOOKS[method].items()}
            found = await run.ask(method, number=number(body, "step", 1), **wanted)
            return JSONResponse(found)

        return show

    async def search(self, request: Request) -> Response:
        """Where a movement leads to."""
        run, body = await self._asked(request)
        how = body.get("how")
        if not isinstance(how, str):
            raise Refused("`how` says which movement")
        return JSONResponse(
            await run.ask("search", step=number(body, "step", 1), how=how, breaks=spots(body))
        )

    # Learning

    async def learn(self, request: Request) -> Response:
        """Begin to learn a task, in place of the session's last run."""
        body = await self._body(request)
        job = learn_job(body, learn_tasks())
        session = self._session(body.get("session"))
        await self.sessions.start(session, job)
        return JSONResponse(session.status())

    async def learned(self, request: Request) -> Response:
        """What a learner showed since it was last asked."""
        session = self._session(request.query_params.get("session"))
        first = request.query_params.get("first", "0")
        if session.run is None or not first.isdigit():
            raise Gone("nothing was learned yet")
        return JSONResponse({"watched": session.run.watched[int(first[:9]) :][:200]})


def _problem(message: str, status: int) -> Response:
    return JSONResponse({"problem": message}, status_code=status)


def application(token: str, port: int, limits: Limits | None = None) -> Any:
    """The whole server as an ASGI application."""
    studio = Studio(limits or Limits())

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        studio.sessions = Sessions(studio.limits)
        yield
        studio.sessions.close()

    return Guard(Starlette(routes=studio.routes(), lifespan=lifespan), token, port)
