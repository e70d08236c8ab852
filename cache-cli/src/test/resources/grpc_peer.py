"""A gRPC server and a gRPC client with messages that are plain bytes.

serve PORT TLS_PORT CERTIFICATE KEY   runs the server until it is killed
call TARGET [AUTHORITY]               runs every case against it; prints one line a case
"""

import sys
import threading
from concurrent import futures

import grpc

SERVICE = "test.Echo"
MESSAGES = 10_000
PATIENCE = 60


class Server:
    def __init__(self):
        self.cancelled = 0
        self.lock = threading.Lock()

    def unary(self, request, context):
        context.send_initial_metadata((("x-initial", "first"),))
        sent = dict(context.invocation_metadata())
        context.set_trailing_metadata(
            (("x-trailing", sent.get("x-sent", "")), ("x-raw-bin", bytes(range(256))))
        )
        return request

    def fail(self, request, context):
        context.abort(grpc.StatusCode.NOT_FOUND, "nothing here: \u00e9")

    def deadline(self, request, context):
        return str(context.time_remaining()).encode()

    def collect(self, requests, context):
        count = size = 0
        for request in requests:
            count += 1
            size += len(request)
        return b"%d %d" % (count, size)

    def expand(self, request, context):
        count, size = map(int, request.split())
        for i in range(count):
            yield b"%08d" % i + b"x" * (size - 8)

    def chat(self, requests, context):
        for request in requests:
            if request == b"abort":
                context.abort(grpc.StatusCode.DATA_LOSS, "as told")
            yield request

    def hang(self, request, context):
        over = threading.Event()
        context.add_callback(over.set)
        yield b"hanging"
        over.wait(PATIENCE)
        with self.lock:
            self.cancelled += 1

    def cancellations(self, request, context):
        with self.lock:
            return b"%d" % self.cancelled


def serve(port, tls_port, certificate, key):
    own = Server()
    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(own.unary),
        "Fail": grpc.unary_unary_rpc_method_handler(own.fail),
        "Deadline": grpc.unary_unary_rpc_method_handler(own.deadline),
        "Collect": grpc.stream_unary_rpc_method_handler(own.collect),
        "Expand": grpc.unary_stream_rpc_method_handler(own.expand),
        "Chat": grpc.stream_stream_rpc_method_handler(own.chat),
        "Hang": grpc.unary_stream_rpc_method_handler(own.hang),
        "Cancellations": grpc.unary_unary_rpc_method_handler(own.cancellations),
    }
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=100))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    server.add_insecure_port("127.0.0.1:" + port)
    with open(certificate, "rb") as chain, open(key, "rb") as private:
        keys = grpc.ssl_server_credentials([(private.read(), chain.read())])
    server.add_secure_port("127.0.0.1:" + tls_port, keys)
    server.start()
    server.wait_for_termination()


class Cases:
    def __init__(self, channel):
        self.channel = channel

    def method(self, name, kind="unary_unary"):
        return getattr(self.channel, kind)("/%s/%s" % (SERVICE, name))

    def case_unary(self):
        reply, call = self.method("Unary").with_call(
            b"hello", metadata=(("x-sent", "value"),), timeout=PATIENCE
        )
        assert reply == b"hello", reply
        assert dict(call.initial_metadata())["x-initial"] == "first"
        trailing = dict(call.trailing_metadata())
        assert trailing["x-trailing"] == "value", trailing
        assert trailing["x-raw-bin"] == bytes(range(256)), trailing
        assert call.code() == grpc.StatusCode.OK

    def case_empty_and_large_messages(self):
        for size in (0, 1, 16_384, 3_000_000):
            message = b"m" * size
            assert self.method("Unary")(message, timeout=PATIENCE) == message

    def case_trailers_only(self):
        try:
            self.method("Fail")(b"", timeout=PATIENCE)
            raise AssertionError("no failure")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND, error
            assert error.details() == "nothing here: \u00e9", error.details()

    def case_unknown_method(self):
        try:
            self.method("Nothing")(b"", timeout=PATIENCE)
            raise AssertionError("no failure")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error

    def case_client_stream(self):
        messages = (b"x" * 100 for _ in range(MESSAGES))
        reply = self.method("Collect", "stream_unary")(messages, timeout=PATIENCE)
        assert reply == b"%d %d" % (MESSAGES, 100 * MESSAGES), reply

    def case_server_stream(self):
        replies = self.method("Expand", "unary_stream")(b"%d 1000" % MESSAGES, timeout=PATIENCE)
        count = 0
        for reply in replies:
            assert int(reply[:8]) == count and len(reply) == 1000
            count += 1
        assert count == MESSAGES, count
        assert replies.code() == grpc.StatusCode.OK

    def case_ping_pong(self):
        """Each message is sent only once the one before has come back."""
        back = threading.Semaphore(1)

        def messages():
            for i in range(500):
                assert back.acquire(timeout=PATIENCE)
                yield b"%d" % i

        count = 0
        for reply in self.method("Chat", "stream_stream")(messages(), timeout=PATIENCE):
            assert reply == b"%d" % count
            count += 1
            back.release()
        assert count == 500, count

    def case_both_streams_at_once(self):
        messages = (b"%d" % i for i in range(MESSAGES))
        count = 0
        for reply in self.method("Chat", "stream_stream")(messages, timeout=PATIENCE):
            assert reply == b"%d" % count
            count += 1
        assert count == MESSAGES, count

    def case_failure_within_a_stream(self):
        stop = threading.Event()

        def messages():
            yield b"1"
            yield b"2"
            yield b"abort"
            stop.wait(PATIENCE)

        replies = []
        try:
            for reply in self.method("Chat", "stream_stream")(messages(), timeout=PATIENCE):
                replies.append(reply)
            raise AssertionError("no failure")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.DATA_LOSS, error
        finally:
            stop.set()
        assert replies == [b"1", b"2"], replies

    def case_deadline_reaches_the_server(self):
        left = float(self.method("Deadline")(b"", timeout=PATIENCE))
        assert 0 < left < 2 * PATIENCE, left

    def cancellations(self):
        return int(self.method("Cancellations")(b"", timeout=PATIENCE))

    def await_cancellation(self, before):
        while self.cancellations() == before:
            pass

    def case_deadline_passes(self):
        before = self.cancellations()
        try:
            for _ in self.method("Hang", "unary_stream")(b"", timeout=1):
                pass
            raise AssertionError("no failure")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error
        self.await_cancellation(before)

    def case_client_cancels(self):
        before = self.cancellations()
        call = self.method("Hang", "unary_stream")(b"", timeout=PATIENCE)
        assert next(call) == b"hanging"
        call.cancel()
        self.await_cancellation(before)

    def case_many_calls_at_a_time(self):
        unary = self.method("Unary")
        calls = [unary.future(b"%d" % i, timeout=PATIENCE) for i in range(300)]
        for i, call in enumerate(calls):
            assert call.result() == b"%d" % i


def call(target, authority=None):
    if authority is None:
        channel = grpc.insecure_channel(target)
    else:
        with open(authority, "rb") as trusted:
            channel = grpc.secure_channel(target, grpc.ssl_channel_credentials(trusted.read()))
    with channel:
        cases = Cases(channel)
        for name in [name for name in dir(cases) if name.startswith("case_")]:
            getattr(cases, name)()
            print(name.removeprefix("case_"), flush=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
