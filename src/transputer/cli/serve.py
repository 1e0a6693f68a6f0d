"""`transputer serve`."""

import click

from transputer import serve as room


@click.command(epilog="\b\nTry:\n  transputer serve --stdio")
@click.option("--port", default=0, metavar="N", help="Port to listen on; default: any free port.")
@click.option("--stdio", is_flag=True,
              help="Speak MCP on standard input and output instead.")  # fmt: skip
@click.option("--token", metavar="SECRET", envvar="TRANSPUTER_TOKEN",
              help="Token that clients must send; default: a new one.")  # fmt: skip
def serve(port: int, stdio: bool, token: str | None) -> None:
    """Serve tools to assistants: run, calculate, ask and verify, exactly.

    Speaks the Model Context Protocol at /mcp and the tool calls of OpenAI's chat protocol at
    /v1/tool_calls. Listens on the loopback address only; clients send the token that is printed.
    """
    if stdio:
        room.serve_stdio()
    else:
        room.serve(port, token=token, announce=_say)


def _say(address: str, token: str) -> None:
    click.echo(f"MCP:    {address}/mcp")
    click.echo(f"Tools:  {address}/v1/tools and {address}/v1/tool_calls")
    click.echo(f"Token:  {token}  (header: Authorization: Bearer TOKEN)")
    click.echo("Press Ctrl-C to stop.")
