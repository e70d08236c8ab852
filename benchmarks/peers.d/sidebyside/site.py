"""What is asked for: loads, their objects, the heads of requests, and the files of the origin."""

import bisect
import dataclasses
import itertools
import random

KIB = 1024
ZIPF_DRAWS = 1 << 18

# A browser's fields as they come after the request line and Host, in the order Chromium sends them.
BROWSER = (
    ("Connection", "keep-alive"),
    ("sec-ch-ua", '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"'),
    ("sec-ch-ua-mobile", "?0"),
    ("sec-ch-ua-platform", '"Windows"'),
    ("Upgrade-Insecure-Requests", "1"),
    ("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
                   " Chrome/142.0.0.0 Safari/537.36"),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"),
    ("Sec-Fetch-Site", "same-origin"),
    ("Sec-Fetch-Mode", "no-cors"),
    ("Sec-Fetch-Dest", "image"),
    ("Referer", "https://www.example.com/articles/2026/11/a-title-of-some-words-as-they-are-usual-today?from=front"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Accept-Language", "en-GB,en;q=0.9,de;q=0.8"),
)
BROWSERS = 64  # with cookies of their own


@dataclasses.dataclass(frozen=True)
class Load:
    """Objects of one size, and over how many connections they are asked for."""

    name: str
    size: int
    count: int
    connections: int
    files: str = ""  # the load whose files these objects share, where they have none of their own
    exponent: float | None = None  # of Zipf's law, where objects are drawn by it; 0 draws evenly

    @property
    def own(self):
        return not self.files

    def path(self, number):
        return f"/{self.name}/{number}"

    def file(self, number):
        """The origin's file for one object, below its root."""
        return f"{self.files}/0" if self.files else f"{self.name}/{number}"


LOADS = {load.name: load for load in (
    Load("1b", 1, 1000, 100),
    Load("1k", KIB, 1000, 100),
    Load("10k", 10 * KIB, 500, 100),
    Load("100k", 100 * KIB, 200, 100),
    Load("1m", 1024 * KIB, 100, 48),
    Load("2m", 2048 * KIB, 100, 48),
    Load("5m", 5120 * KIB, 40, 48),
    Load("16m", 16384 * KIB, 20, 24),
)}


def zipf(load, count):
    """The same size, but `count` objects asked for by Zipf's law; the origin has one file for all."""
    return dataclasses.replace(load, name=f"zipf-{load.name}", count=count, files=load.name, exponent=1.0)


def from_disk(load, footprint, exponent):
    """The same size, as many objects as the footprint holds; the origin has one file for all."""
    return dataclasses.replace(load, name=f"disk-{load.name}", count=max(1, footprint // load.size), files=load.name,
                               exponent=exponent)


def misses(load):
    """The same size, each URL asked for once; numbers are as many as are asked for."""
    return dataclasses.replace(load, name=f"miss-{load.name}", count=0, files=load.name)


def draws(count, seed, exponent):
    """Numbers of objects by Zipf's law: a fixed sequence, long enough to be gone through in a circle."""
    weights = itertools.accumulate(1 / rank**exponent for rank in range(1, count + 1))
    cumulated = list(weights)
    chance = random.Random(seed)
    # Which object is popular has nothing to do with its number.
    shuffled = list(range(count))
    chance.shuffle(shuffled)
    return [shuffled[bisect.bisect_left(cumulated, chance.random() * cumulated[-1])] for _ in range(ZIPF_DRAWS)]


def heads(kind):
    """Lists of fields, one a browser; a bare head has nothing but the request line and Host."""
    if kind == "bare":
        return [()]
    return [BROWSER + (("Cookie", cookies(number)),) for number in range(BROWSERS)]


def cookies(number):
    """What a site with a session, consent and two analytics leaves in a browser: some 480 bytes."""
    chance = random.Random(number)

    def word(length):
        return "".join(chance.choices("0123456789abcdef", k=length))

    return "; ".join((
        f"session={word(64)}",
        f"_ga=GA1.1.{chance.randrange(10**9)}.{chance.randrange(10**9)}",
        f"_ga_{word(10).upper()}=GS2.1.s{chance.randrange(10**9)}$o3$g1$t{chance.randrange(10**9)}$j60$l0$h0",
        f"consent={word(120)}",
        "theme=dark; lang=en",
        f"cart={word(48)}",
        f"experiments=a1.b0.c2.d{chance.randrange(9)}",
        f"csrf={word(32)}",
    ))


def make_files(root, loads):
    """The origin's files; bodies are random, so that nothing can be had by compressing them."""
    for load in loads:
        base = LOADS[load.files] if load.files else load
        directory = root / base.name
        directory.mkdir(parents=True, exist_ok=True)
        for number in range(base.count if load.own else 1):
            file = directory / str(number)
            if not file.exists() or file.stat().st_size != base.size:
                file.write_bytes(random.Random(number).randbytes(base.size))


def bytes_of_files(loads):
    return sum(load.size * (load.count if load.own else 1) for load in loads)
