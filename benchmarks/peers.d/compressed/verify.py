"""Every byte, after decoding: of misses and hits, ranges, revalidations, purges and restarts."""

import http.client
import json
import random
import time

from sidebyside import process
from sidebyside import servers as peers

from . import codings, measure, servers

RANGES = 4
SEED = 20261126


class Check:
    """Of one server; counts what it compared."""

    def __init__(self, server, lab, files, contents):
        self._server, self._lab, self._files, self._contents = server, lab, files, dict(contents)
        self._random = random.Random(SEED)
        self._client = measure.Client(server.port)
        self.counts = {"whole": 0, "ranges": 0, "revalidations": 0, "expired": 0, "purged": 0, "after_restarts": 0}

    def run(self):
        codings_and_none = ("",) + self._server.codings
        try:
            for coding in codings_and_none:
                self._all(coding)
            for coding in codings_and_none:
                self._ranges(coding)
                self._revalidations(coding)
            self._expired(codings_and_none)
            if isinstance(self._server, servers.Forebay):
                self._purges(codings_and_none)
                for stop in (self._stop, self._kill):
                    self._restart(stop, codings_and_none)
            return self.counts
        except (OSError, http.client.HTTPException, ValueError) as broken:
            raise process.Failed(f"{self._server.name}: {broken!r}") from None
        finally:
            self._client.close()

    def _get(self, path, coding, **fields):
        return self._client.get(path, Accept_Encoding=coding or "identity", **fields)

    def _same(self, path, coding, name, url=None):
        """A miss, or a hit, whatever it is coded with."""
        status, fields, body, _ = self._get(url or path, coding)
        measure.check(self._server, url or path, status, fields, body, coding, self._contents[path])
        self.counts[name] += 1
        return fields, body

    def _all(self, coding):
        for _ in range(3):
            for path in self._files:
                self._same(path, coding, "whole")

    def _ranges(self, coding):
        for path in self._files:
            whole_fields, whole = self._same(path, coding, "whole")
            tag = whole_fields.get("etag")
            is_strong = tag and not tag.startswith("W/")
            for condition in (None, tag) if is_strong else (None,):
                for _ in range(RANGES):
                    first = self._random.randrange(len(whole))
                    last = self._random.randrange(first, len(whole))
                    self._range(path, coding, first, last, condition, whole_fields, whole)

    def _range(self, path, coding, first, last, condition, whole_fields, whole):
        """What comes is a part of what Content-Range and ETag say: of identity, or of the coded body."""
        status, fields, body, _ = self._get(path, coding, Range=f"bytes={first}-{last}", If_Range=condition)
        content = self._contents[path]
        named = fields.get("content-encoding", "")
        self.counts["ranges"] += 1
        if status == 200:
            measure.check(self._server, path, status, fields, body, coding, content)
            return
        source = whole if named else content
        total = fields.get("content-range", "").rpartition("/")[2]
        if named and (fields.get("etag") != whole_fields.get("etag") or named != coding):
            raise process.Failed(f"{self._server.name}: {path}: a part of another body: {fields}")
        if status == 416 and first >= len(source):
            return
        if status != 206 or total != str(len(source)) or body != source[first:last + 1]:
            raise process.Failed(f"{self._server.name}: {path} {coding} {first}-{last} {condition}: {status}, {fields}:"
                                 " not that part")

    def _revalidations(self, coding):
        for path in self._files:
            fields, _ = self._same(path, coding, "whole")
            tag = fields.get("etag")
            if not tag:
                continue
            status, told, body, _ = self._get(path, coding, If_None_Match=tag)
            self.counts["revalidations"] += 1
            if status != 304:
                measure.check(self._server, path, status, told, body, coding, self._contents[path])
            status, told, body, _ = self._get(path, coding, If_None_Match='"another"')
            measure.check(self._server, path, status, told, body, coding, self._contents[path])

    def _expired(self, all_codings):
        """What is fresh for a second is asked for again at the origin, which says 304 or has another body."""
        some = self._files[::7]
        for _ in range(2):
            for coding in all_codings:
                for path in some:
                    self._same(path, coding, "expired", "/short" + path)
            time.sleep(1.2)  # its lifetime
        changed = some[0]
        self._change(changed)
        time.sleep(1.2)
        for coding in all_codings:
            self._same(changed, coding, "expired", "/short" + changed)

    def _change(self, path):
        content = self._contents[path]
        half = len(content) // 2
        self._contents[path] = content[half:] + content[:half] + b" changed"
        file = self._lab / "www" / path[1:]
        file.write_bytes(self._contents[path])

    def _purges(self, all_codings):
        """After a purge no coding of the body before is served."""
        for path in self._files[::3]:
            self._change(path)
            connection = peers.connection(servers.ADMIN, False)
            try:
                order = {"urls": [f"http://127.0.0.1:{self._server.port}{path}"]}
                connection.request("POST", "/v1/purge", json.dumps(order), {"Content-Type": "application/json"})
                response = connection.getresponse()
                said = response.read()
                if response.status != 200:
                    raise process.Failed(f"purge of {path}: {response.status} {said[:200]!r}")
            finally:
                connection.close()
            for coding in all_codings:
                for _ in range(2):
                    self._same(path, coding, "purged")

    def _stop(self):
        self._server.stop()

    def _kill(self):
        for program in self._server.group.programs:
            program.process.kill()
            program.process.wait()
        self._server.group.programs = []

    def _restart(self, stop, all_codings):
        self._client.close()
        stop()
        self._server.start(keeps=True)
        self._client = measure.Client(self._server.port)
        for coding in all_codings:
            for path in self._files:
                self._same(path, coding, "after_restarts")
