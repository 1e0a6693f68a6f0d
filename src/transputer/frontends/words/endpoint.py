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
from transputer.frontends.words import grammar, text
from transputer.frontends.words.numbers import Number, slotted
from transputer.frontends.words.operations import OPERATIONS
from transputer.frontends.words.plan import Plan, PlanError
from transputer.frontends.words.planner import Abstained, Proposal
from transputer.frontends.words.schema import from_json, gbnf, json_schema, to_json

#: How replies are constrained: by a JSON schema, by a GBNF grammar (llama-server), or not.
CONSTRAINTS = ("json", "gbnf", "none")
#: Bytes of a reply, at most.
LARGEST = 1 << 20
_EXAMPLES = (
    ("Janet has N0 apples. She gives away N1. How many are left?", "(N0 - N1)"),
    ("Each of N0 boxes holds N1 eggs; N2 broke. How many are whole?", "((N0 * N1) - N2)"),
    ("What is the sum of the even numbers from N0 to N1?", "sum(evens(range(N0, N1, 1)))"),
    ("Is N0 larger than N1?", "(N0 > N1)"),
    ("A shirt costs N0 dollars and is N1 off. What does it cost?", "(N0 - percent(N1, N0))"),
)


class Endpoint:
    """A planner that asks a server. `seconds` is the time for one whole reply."""

    name = "endpoint"
    threshold = 0.0

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str = "",
        constraint: str = "json",
        seconds: float = 60.0,
        attempts: int = 2,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise UsageError(f"OPENAI_BASE_URL must be an http or https address, not {base_url!r}")
        if constraint not in CONSTRAINTS:
            raise UsageError(f"no constraint {constraint!r}; available: {', '.join(CONSTRAINTS)}")
        self.url = base_url.rstrip("/") + "/chat/completions"
        self.model, self.key = model, key
        self.constraint, self.seconds, self.attempts = constraint, seconds, attempts

    @classmethod
    def from_environment(cls, model: str | None = None) -> "Endpoint":
        """The endpoint that OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL name.

        TRANSPUTER_CONSTRAINT is one of `CONSTRAINTS`, TRANSPUTER_TIMEOUT a number of seconds.
        """
        base = os.environ.get("OPENAI_BASE_URL", "")
        chosen = model or os.environ.get("OPENAI_MODEL", "")
        if not base or not chosen:
            raise UsageError("a model needs OPENAI_BASE_URL and --model (or OPENAI_MODEL)")
        try:
            seconds = float(os.environ.get("TRANSPUTER_TIMEOUT", "60"))
        except ValueError:
            raise UsageError("TRANSPUTER_TIMEOUT must be a number of seconds") from None
        return cls(
            base,
            chosen,
            key=os.environ.get("OPENAI_API_KEY", ""),
            constraint=os.environ.get("TRANSPUTER_CONSTRAINT", "json"),
            seconds=seconds,
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
        for asked, line in _EXAMPLES:
            answer = json.dumps(to_json(text.read(line))) if as_json else line
            messages += [
                {"role": "user", "content": asked},
                {"role": "assistant", "content": answer},
            ]
        messages.append({"role": "user", "content": slotted(question, numbers)})
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": 1024,
            "logprobs": True,
        }
        if as_json:
            schema = {"name": "plan", "schema": json_schema(len(numbers))}
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
            raise UsageError(f"{self.url}: {refusal.code} {refusal.reason}") from None
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


def read_reply(content: str, slots: int) -> Plan:
    """The plan in a reply, as JSON or as a line; it uses only numbers that there are."""
    stripped = content.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    stripped = stripped.strip()
    if stripped.startswith("{"):
        try:
            plan = from_json(json.loads(stripped))
        except (ValueError, RecursionError):
            raise PlanError("the reply is not JSON") from None
    else:
        plan = text.read(stripped)
    grammar.run(plan.tokens, slots)
    return plan


def instructions(as_json: bool) -> str:
    """What the model is told: the operations come from the table."""
    rows = "\n".join(
        f"{row.token if as_json else row.begin + row.separator + row.end}: {row.doc}"
        for row in OPERATIONS
    )
    form = "one JSON object with lets and result" if as_json else "one line"
    return (
        "Turn a question into a plan that computes its answer. The question's numbers are N0, "
        "N1 and so on; use those, small constants, and these operations:\n"
        f"{rows}\nWrite the plan as {form} and nothing else."
    )
