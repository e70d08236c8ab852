"""Opens a WebSocket over HTTP/3 (RFC 9220) with aioquic, and expects each message to come back.

    h3_websocket.py HOST PORT NAME CA PATH LENGTH...

HOST and PORT are where it connects, NAME is whom it asks for. It sends one binary message for each
LENGTH, compares what comes back, and closes. The last line says how it ended.
"""

import asyncio
import os
import struct
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection, Setting
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamReset

BINARY, CLOSE = 2, 8


class Client(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http = H3Connection(self._quic)
        self.changed = asyncio.Event()
        self.fields = {}
        self.received = bytearray()
        self.is_ended = False
        self.failure = None

    def quic_event_received(self, event):
        if isinstance(event, (ConnectionTerminated, StreamReset)):
            self.failure = str(event)
        for heard in self.http.handle_event(event):
            if isinstance(heard, HeadersReceived):
                self.fields.update(heard.headers)
            elif isinstance(heard, DataReceived):
                self.received += heard.data
            self.is_ended |= heard.stream_ended
        self.changed.set()

    async def until(self, condition):
        while not condition():
            if self.failure and not self.is_ended:
                raise RuntimeError(self.failure)
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 60)

    async def take(self, length):
        await self.until(lambda: len(self.received) >= length)
        taken = bytes(self.received[:length])
        del self.received[:length]
        return taken

    async def frame(self):
        first, length = await self.take(2)
        if length == 126:
            (length,) = struct.unpack("!H", await self.take(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", await self.take(8))
        return first & 0x0F, await self.take(length)


def framed(opcode, payload):
    head = bytes([0x80 | opcode])
    if len(payload) < 126:
        head += bytes([0x80 | len(payload)])
    elif len(payload) < 1 << 16:
        head += struct.pack("!BH", 0x80 | 126, len(payload))
    else:
        head += struct.pack("!BQ", 0x80 | 127, len(payload))
    # Masked with zeros, which leaves it as it is.
    return head + bytes(4) + payload


async def main(host, port, name, ca, path, lengths):
    settings = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name=name)
    settings.load_verify_locations(ca)
    async with connect(host, port, configuration=settings, create_protocol=Client) as client:
        await client.until(lambda: client.http.received_settings is not None)
        assert client.http.received_settings.get(Setting.ENABLE_CONNECT_PROTOCOL) == 1
        stream = client._quic.get_next_available_stream_id()
        client.http.send_headers(
            stream,
            [
                (b":method", b"CONNECT"),
                (b":protocol", b"websocket"),
                (b":scheme", b"https"),
                (b":authority", f"{name}:{port}".encode()),
                (b":path", path.encode()),
                (b"sec-websocket-version", b"13"),
            ],
        )
        client.transmit()
        await client.until(lambda: b":status" in client.fields)
        print("status", client.fields[b":status"].decode())
        for length in lengths:
            payload = os.urandom(length)
            client.http.send_data(stream, framed(BINARY, payload), end_stream=False)
            client.transmit()
            assert await client.frame() == (BINARY, payload), length
            print("echo", length)
        client.http.send_data(stream, framed(CLOSE, struct.pack("!H", 1000)), end_stream=True)
        client.transmit()
        opcode, why = await client.frame()
        assert opcode == CLOSE, opcode
        await client.until(lambda: client.is_ended)
        print("closed", struct.unpack("!H", why[:2])[0])


if __name__ == "__main__":
    asyncio.run(
        main(
            sys.argv[1],
            int(sys.argv[2]),
            sys.argv[3],
            sys.argv[4],
            sys.argv[5],
            [int(length) for length in sys.argv[6:]],
        )
    )
