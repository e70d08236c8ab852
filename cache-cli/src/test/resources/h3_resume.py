"""Opens sessions over HTTP/3 with aioquic, each with the ticket of the one before.

    h3_resume.py NAME CA PORT...

It connects to each PORT of 127.0.0.1 and asks for NAME. For each it prints "full" or "resumed".
"""

import asyncio
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration


class Client(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http = H3Connection(self._quic)
        self.answered = asyncio.Event()

    def quic_event_received(self, event):
        for heard in self.http.handle_event(event):
            if isinstance(heard, HeadersReceived):
                self.answered.set()

    async def get(self, name):
        stream = self._quic.get_next_available_stream_id()
        fields = [
            (b":method", b"GET"),
            (b":scheme", b"https"),
            (b":authority", name.encode()),
            (b":path", b"/s"),
        ]
        self.http.send_headers(stream, fields, end_stream=True)
        self.transmit()
        await asyncio.wait_for(self.answered.wait(), 20)


async def main(name, ca, *ports):
    ticket = None
    for port in ports:
        tickets = asyncio.Queue()
        configuration = QuicConfiguration(
            alpn_protocols=H3_ALPN, is_client=True, server_name=name, session_ticket=ticket
        )
        configuration.load_verify_locations(ca)
        async with connect(
            "127.0.0.1",
            int(port),
            configuration=configuration,
            create_protocol=Client,
            session_ticket_handler=tickets.put_nowait,
        ) as client:
            await client.get(name)
            print("resumed" if client._quic.tls.session_resumed else "full")
            ticket = await asyncio.wait_for(tickets.get(), 20)


asyncio.run(main(*sys.argv[1:]))
