"""Fetches paths over one HTTP/3 connection, all at once, with aioquic.

    h3_page.py HOST PORT NAME CA DIRECTORY PATH...

HOST and PORT are where it connects, NAME is whom it asks for. Each body goes to a file of DIRECTORY
that is named by the number of its path; a line a path says number, status and Cache-Status.
"""

import asyncio
import pathlib
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamReset


class Answer:
    def __init__(self):
        self.fields = {}
        self.body = bytearray()
        self.ended = asyncio.get_running_loop().create_future()

    def fail(self, why):
        if not self.ended.done():
            self.ended.set_exception(RuntimeError(why))


class Client(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http = H3Connection(self._quic)
        self.answers = {}

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated):
            for answer in self.answers.values():
                answer.fail(f"the connection ended: {event}")
        elif isinstance(event, StreamReset):
            self.answers[event.stream_id].fail(f"the stream was reset: {event}")
        for heard in self.http.handle_event(event):
            answer = self.answers.get(heard.stream_id)
            if answer is None:
                continue
            if isinstance(heard, HeadersReceived):
                answer.fields.update(heard.headers)
            elif isinstance(heard, DataReceived):
                answer.body += heard.data
            if heard.stream_ended:
                answer.ended.set_result(None)

    def get(self, authority, path):
        stream = self._quic.get_next_available_stream_id()
        answer = self.answers[stream] = Answer()
        self.http.send_headers(
            stream,
            [
                (b":method", b"GET"),
                (b":scheme", b"https"),
                (b":authority", authority.encode()),
                (b":path", path.encode()),
            ],
            end_stream=True,
        )
        return answer


async def main(host, port, name, ca, directory, paths):
    settings = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name=name)
    settings.load_verify_locations(ca)
    async with connect(host, port, configuration=settings, create_protocol=Client) as client:
        answers = [client.get(f"{name}:{port}", path) for path in paths]
        client.transmit()
        for number, answer in enumerate(answers):
            await asyncio.wait_for(answer.ended, 60)
            (pathlib.Path(directory) / str(number)).write_bytes(answer.body)
            print(
                number,
                answer.fields[b":status"].decode(),
                answer.fields.get(b"cache-status", b"").decode(),
            )


if __name__ == "__main__":
    asyncio.run(
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5], sys.argv[6:])
    )
