"""A directory seen through a file system that fails when it is told to.

    python3 failing_fs.py DIRECTORY MOUNTPOINT CONTROL

CONTROL is a file of words, read again at every operation:

    read=EIO  write=ENOSPC  fsync=EIO     that operation fails so
    read=hang write=hang fsync=hang       it answers only when the word is gone
    read=2.5  write=0.1                   it answers after so many seconds, or when the word is gone

Files only, in one flat directory. Ends when it is unmounted. Needs Debian's python3-fusepy.
"""

import errno
import os
import sys
import time

from fusepy import FUSE, FuseOSError, Operations


class Failing(Operations):
    def __init__(self, directory, control):
        self.directory = directory
        self.control = control

    def _path(self, path):
        return os.path.join(self.directory, path.lstrip("/"))

    def _order(self, operation):
        try:
            with open(self.control, encoding="ascii") as file:
                words = file.read().split()
        except FileNotFoundError:
            return None
        for word in words:
            name, _, value = word.partition("=")
            if name == operation:
                return value
        return None

    def _obey(self, operation):
        order = self._order(operation)
        if order is None:
            return
        if hasattr(errno, order):
            raise FuseOSError(getattr(errno, order))
        end = float("inf") if order == "hang" else time.monotonic() + float(order)
        while time.monotonic() < end and self._order(operation) == order:
            time.sleep(0.01)

    def getattr(self, path, fh=None):
        try:
            st = os.lstat(self._path(path))
        except OSError as e:
            raise FuseOSError(e.errno)
        keys = ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime", "st_mtime", "st_ctime")
        return {key: getattr(st, key) for key in keys}

    def readdir(self, path, fh):
        return [".", ".."] + os.listdir(self._path(path))

    def statfs(self, path):
        st = os.statvfs(self._path(path))
        keys = ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_files", "f_ffree", "f_frsize", "f_namemax")
        return {key: getattr(st, key) for key in keys}

    def open(self, path, flags):
        try:
            return os.open(self._path(path), os.O_RDWR)
        except OSError as e:
            raise FuseOSError(e.errno)

    def create(self, path, mode, fi=None):
        return os.open(self._path(path), os.O_RDWR | os.O_CREAT, mode)

    def unlink(self, path):
        os.unlink(self._path(path))

    def truncate(self, path, length, fh=None):
        os.truncate(self._path(path), length)

    def read(self, path, size, offset, fh):
        self._obey("read")
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        self._obey("write")
        return os.pwrite(fh, data, offset)

    def fsync(self, path, datasync, fh):
        self._obey("fsync")
        os.fsync(fh)

    def release(self, path, fh):
        os.close(fh)


if __name__ == "__main__":
    # direct_io: nothing of it stays in the page cache, so every read and write arrives here.
    FUSE(
        Failing(sys.argv[1], sys.argv[3]),
        sys.argv[2],
        foreground=True,
        direct_io=True,
        big_writes=True,
        max_write=131072,
        max_read=131072,
    )
