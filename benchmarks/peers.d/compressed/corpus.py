"""Files as sites have them: of npm packages in fixed versions, unpacked into a directory that is kept."""

import os
import pathlib
import subprocess
import tarfile

from sidebyside import process

PACKAGES = (
    "bootstrap@5.3.3",
    "d3@7.9.0",
    "html5-boilerplate@9.0.1",
    "@fortawesome/fontawesome-free@6.7.2",
    "jquery@3.7.1",
    "lodash@4.17.21",
    "mdn-data@2.12.2",
    "react-dom@18.3.1",
    "sql.js@1.12.0",
    "swagger-ui-dist@5.18.2",
    "vue@3.5.13",
    "word-list@3.1.0",
    "world-atlas@2.0.2",
)
TYPES = {
    "html": "text/html",
    "css": "text/css",
    "js": "application/javascript",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "wasm": "application/wasm",
}
SMALLEST = 1 << 10
LARGEST = 2 << 20
OF_TYPE = 12
OF_PACKAGE = 5


def cache_directory():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "forebay-corpus"


def fetch(cache, npm="npm"):
    """The packages' archives, by npm, which are there from the second time on."""
    cache.mkdir(parents=True, exist_ok=True)
    archives = []
    for package in PACKAGES:
        name, _, version = package.rpartition("@")
        archive = cache / f"{name.replace('@', '').replace('/', '-')}-{version}.tgz"
        if not archive.exists():
            done = subprocess.run([npm, "pack", "--silent", "--pack-destination", cache, package],
                                  capture_output=True, text=True)
            if done.returncode or not archive.exists():
                raise process.Failed(f"npm pack {package}: {(done.stderr or done.stdout).strip()}")
        archives.append(archive)
    return archives


def unpack(archives, root, of_type=OF_TYPE):
    """
    Writes so many files of each type, spread over packages and sizes, as TYPE/NUMBER.TYPE below the root; the same
    files each time.
    """
    found = {kind: [] for kind in TYPES}
    for archive in archives:
        with tarfile.open(archive) as tar:
            members = {kind: [] for kind in TYPES}
            for member in tar.getmembers():
                kind = member.name.rpartition(".")[2].lower()
                if member.isfile() and kind in TYPES and SMALLEST <= member.size <= LARGEST:
                    members[kind].append(member)
            for kind, all_members in members.items():
                all_members.sort(key=lambda member: (member.size, member.name))
                for member in spread(all_members, OF_PACKAGE):
                    found[kind].append((member.size, member.name, tar.extractfile(member).read()))
    files = []
    for kind, all_files in found.items():
        all_files.sort()
        for number, (_, _, content) in enumerate(spread(all_files, of_type)):
            path = root / kind / f"{number}.{kind}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            files.append(f"/{kind}/{number}.{kind}")
    if not files:
        raise process.Failed("the packages have no files of these types")
    return files


def spread(items, count):
    """So many of a sorted list, evenly."""
    if len(items) <= count:
        return items
    return [items[index * (len(items) - 1) // (count - 1)] for index in range(count)] if count > 1 else items[-1:]
