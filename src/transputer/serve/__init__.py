"""The server for assistants: tools over MCP and over an OpenAI-compatible endpoint."""

from transputer.serve.server import serve, serve_stdio

__all__ = ["serve", "serve_stdio"]
