"""A connection with a delay, as to a server far away."""
import os
import subprocess
import sys

from harness import HERE


class DelayProxy:
    """25 ms each way to a port of the server."""

    def __init__(self, port, milliseconds=25):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "delay-proxy"), "--to", str(port), "--ms", str(milliseconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
