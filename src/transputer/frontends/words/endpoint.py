"""Any model behind an OpenAI-compatible endpoint as a planner.

Ollama, llama-server, vLLM, LM Studio and hosted services speak this protocol. The reply is
constrained by the plan grammar where the server can do that, and always read and checked here:
whatever a server sends, what comes out is a plan over the question's numbers, or `Abstained`.
"""

import http.client
import json
import math
import os
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from transputer.errors import UsageError
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import PlanError
from transputer.frontends.words.planner import Abstained, Proposal
from transputer.frontends.words.replies import (
    EXAMPLES,
    example,
    gbnf,
    instructions,
    json_schema,
    masked,
    read_reply,
)

#: How replies are constrained: by a JSON schema, by a GBNF grammar (llama-server), or not.
CONSTRAINTS = ("json", "gbnf", "none")
#: Bytes of a reply and of an error that is shown, at most.
LARGEST, SHOWN = 1 << 20, 300


class Endpoint:
    """A planner that asks a server.

    `seconds` is the time for one whole reply, `tokens` its length. `logprobs` asks for the tokens'
    probabilities, whose product is the confidence; below `threshold` a plan is refused.
    """

    name = "endpoint"

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str = "",
        constraint: str = "json",
        seconds: float = 60.0,
        tokens: int = 1024,
        logprobs: bool = True,
        threshold: float = 0.0,
        attempts: int = 2,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise UsageError(f"OPENAI_BASE_URL must be an http or https address, not {base_url!r}")
        if constraint not in CONSTRAINTS:
            raise UsageError(f"no constraint {constraint!r}; available: {', '.join(CONSTRAINTS)}")
        self.url = base_url.rstrip("/") + "/chat/completions"
        self.model, self.key = model, key
        self.constraint, self.seconds, self.attempts = constraint, seconds, attempts
        self.tokens, self.logprobs, self.threshold = tokens, logprobs, threshold

    @classmethod
    def from_environment(cls, model: str | None = None) -> "Endpoint":
        """The endpoint that OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL name.

        TRANSPUTER_CONSTRAINT is one of `CONSTRAINTS`, TRANSPUTER_TIMEOUT a number of seconds,
        TRANSPUTER_TOKENS the length of a reply, TRANSPUTER_THRESHOLD the least confidence;
        TRANSPUTER_LOGPROBS=0 asks for no probabilities.
        """
        base = os.environ.get("OPENAI_BASE_URL", "")
        chosen = model or os.environ.get("OPENAI_MODEL", "")
        if not base or not chosen:
            raise UsageError("a model needs OPENAI_BASE_URL and --model (or OPENAI_MODEL)")
        return cls(
            base,
            chosen,
            key=os.environ.get("OPENAI_API_KEY", ""),
            constraint=os.environ.get("TRANSPUTER_CONSTRAINT", "json"),
            seconds=_setting("TRANSPUTER_TIMEOUT", 60.0),
            tokens=int(_setting("TRANSPUTER_TOKENS", 1024)),
            threshold=_setting("TRANSPUTER_THRESHOLD", 0.0),
            logprobs=_setting("TRANSPUTER_LOGPROBS", 1) != 0,
        )

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The plan of the server's reply; what is malformed is asked for once more."""
        problem = ""
        for _ in range(self.attempts):
            reply = self._asked(self._request(text, numbers))
            try:
                content, confidence = _content(reply)
                return [Proposal(read_reply(content, len(numbers)), confidence)]
            except PlanError as wrong:
                problem = wrong.message
        raise Abstained(f"{self.model} gave no plan: {problem}")

    def _request(self, question: str, numbers: Sequence[Number]) -> dict[str, Any]:
        as_json = self.constraint == "json"
        messages = [{"role": "system", "content": instructions(as_json)}]
        for asked, line in EXAMPLES:
            messages += [
                {"role": "user", "content": asked},
                {"role": "assistant", "content": example(line, as_json)},
            ]
        messages.append({"role": "user", "content": masked(question, numbers)})
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": self.tokens,
        }
        if self.logprobs:
            request["logprobs"] = True
        if as_json:
            schema = {"name": "plan", "schema": json_schema()}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.constraint == "gbnf":
            request["grammar"] = gbnf(len(numbers))
        return request

    def _asked(self, request: dict[str, Any]) -> bytes:
        """The server's reply; `Abstained` where none came in time, UsageError for a refusal."""
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        body = json.dumps(request).encode()
        sent = urllib.request.Request(self.url, body, headers)
        deadline = time.monotonic() + self.seconds
        try:
            with urllib.request.urlopen(sent, timeout=self.seconds) as reply:
                return _whole(reply, deadline)
        except TimeoutError:
            raise Abstained(f"{self.model} gave no answer in {self.seconds:g} s") from None
        except urllib.error.HTTPError as refusal:
            said = _said(refusal)
            raise UsageError(f"{self.url}: {refusal.code} {refusal.reason}{said}") from None
        except urllib.error.URLError as problem:
            if isinstance(problem.reason, TimeoutError):
                raise Abstained(f"{self.model} gave no answer in {self.seconds:g} s") from None
            raise UsageError(f"{self.url}: {problem.reason}") from None
        except (OSError, ValueError, http.client.HTTPException) as problem:
            raise Abstained(f"{self.model} broke off: {problem}") from None


def _whole(reply: Any, deadline: float) -> bytes:
    """Read a reply until the deadline."""
    parts: list[bytes] = []
    while part := reply.read1(1 << 16):
        parts.append(part)
        if time.monotonic() > deadline:
            raise TimeoutError
        if sum(map(len, parts)) > LARGEST:
            raise Abstained(f"the reply has more than {LARGEST:,} bytes")
    return b"".join(parts)


def _content(reply: bytes) -> tuple[str, float | None]:
    """The text of a reply, and the probability of its tokens where the server gives it."""
    try:
        choice = json.loads(reply)["choices"][0]
        content = choice["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise PlanError("the reply is not of the chat protocol") from None
    if not isinstance(content, str) or not content.strip():
        raise PlanError("the reply is empty")
    try:
        tokens = [float(token["logprob"]) for token in choice["logprobs"]["content"]]
    except (LookupError, TypeError, ValueError):
        tokens = []
    return content, min(1.0, math.exp(sum(tokens))) if tokens else None


def _said(refusal: urllib.error.HTTPError) -> str:
    """The server's own message in an HTTP error, on one line."""
    try:
        body = refusal.read(1 << 16)
    except (OSError, http.client.HTTPException):
        return ""
    text = body.decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        text = error["message"] if isinstance(error, dict) else str(error)
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return f": {line[:SHOWN]}" if line else ""


def _setting(name: str, default: float) -> float:
    try:
        return float(os.environ.get(name, default))
    except ValueError:
        raise UsageError(f"{name} must be a number") from None
