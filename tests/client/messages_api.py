"""The Messages API as far as the client needs it: it asks the scripted model, and streams what that says."""

import itertools
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from client.model import Block, ScriptedModel, Seen, say

_numbers = itertools.count(1)


class MessagesApi(ThreadingHTTPServer):
    """Serves from the moment it is made until it is closed."""

    def __init__(self, listening: socket.socket, model: ScriptedModel) -> None:
        super().__init__(listening.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.model = model
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the client hung up, as it does at Esc and at its end


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: MessagesApi

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        self._refuse(404, "not_found_error", self.path)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        tokens = len(body) // 4
        if path.endswith("/count_tokens"):
            self._send(200, json.dumps({"input_tokens": tokens}).encode())
        elif path.endswith("/v1/messages"):
            self._answer(Seen(json.loads(body), self.headers.get("x-claude-code-agent-id") or ""), tokens)
        else:
            self.do_GET()

    def _answer(self, seen: Seen, tokens: int) -> None:
        model = self.server.model
        try:
            blocks = model.answer(seen)
        except Exception as fault:  # of the script: it must end the test, not this thread
            model.faults.append(repr(fault))
            return self._refuse(400, "invalid_request_error", f"script: {fault!r}")
        usual = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        stop = blocks[-1].pop("stop", usual) if blocks else usual
        message = {
            "id": f"msg_{next(_numbers):06d}",
            "type": "message",
            "role": "assistant",
            "model": seen.request.get("model"),
            "usage": {"input_tokens": tokens, "output_tokens": 20},
        }
        if seen.request.get("stream"):
            self._stream(message, blocks, stop)
        else:
            self._send(200, json.dumps({**message, "content": blocks, "stop_reason": stop}).encode())

    def _stream(self, message: dict[str, Any], blocks: list[Block], stop: str) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self._event("message_start", message={**message, "content": [], "stop_reason": None})
        for index, block in enumerate(blocks):
            if block["type"] == "tool_use":
                start: Block = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            else:
                start, delta = say(""), {"type": "text_delta", "text": block["text"]}
            self._event("content_block_start", index=index, content_block=start)
            self._event("content_block_delta", index=index, delta=delta)
            self._event("content_block_stop", index=index)
        self._event("message_delta", delta={"stop_reason": stop}, usage={"output_tokens": 20})
        self._event("message_stop")

    def _event(self, name: str, **data: Any) -> None:
        self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())
        self.wfile.flush()

    def _refuse(self, code: int, kind: str, words: str) -> None:
        self._send(code, json.dumps({"type": "error", "error": {"type": kind, "message": words}}).encode())

    def _send(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
