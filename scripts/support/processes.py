"""Processes that a script starts and ends: ports for them, a server that listens, one that ends with its script, what a
process has started."""
import os
import socket
import subprocess
import time

# Ends the server when standard input ends, which it does when the script has ended in whatever way. Signals that the
# whole group gets (Ctrl-C, timeout(1)) do not end this before.
WATCHDOG = """trap : INT TERM HUP; setsid "$@" </dev/null & server=$!
while read -r _ || [ $? -gt 1 ]; do :; done; kill -KILL -$server 2>/dev/null; wait"""
# A machine with much else to do takes twenty times as long as another.
SECONDS_TO_LISTEN = 180
# The sockets that hold ports for servers.
HELD = []


def free_ports(count):
    """Ports of loopback that no other process gets by chance: they stay bound, until this script ends, by sockets that do
    not listen. A server may listen there all the same when it sets SO_REUSEADDR, as servers do."""
    holders = [socket.socket() for _ in range(count)]
    for holder in holders:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
    HELD.extend(holders)
    return [holder.getsockname()[1] for holder in holders]


def free_port():
    return free_ports(1)[0]


def guarded(arguments, **options):
    """A process that ends when this script does, in whatever way."""
    return subprocess.Popen(["sh", "-c", WATCHDOG, "watchdog", *arguments], stdin=subprocess.PIPE, **options)


def wait_until(is_done, what, seconds=180, pause=0.1):
    """Asks until the answer is true; RuntimeError that names what did not happen after so many seconds."""
    end = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > end:
            raise RuntimeError(f"{what} after {seconds} s")
        time.sleep(pause)


def processes():
    """The parent, the time of the start and the command line of each process."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                words = file.read().rsplit(")", 1)[1].split()
            with open(f"/proc/{name}/cmdline", "rb") as file:
                found[int(name)] = (int(words[1]), words[19], file.read().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def family(process):
    """A process's descendants, by number: the time of the start and the command line."""
    now, below = processes(), {}
    while True:
        more = {one: of[1:] for one, of in now.items() if of[0] in {process, *below} and one not in below}
        if not more:
            return below
        below.update(more)


class Listener:
    """A process that listens on a port of loopback, with its output in a file.

    :param log: the file; what is there stays
    :param host: another address of this machine
    """

    scheme = "http"

    def __init__(self, name, command, port, log, environment=None, host="127.0.0.1"):
        self.name, self.words, self.port, self.log, self.environment = name, command, port, log, environment
        self.host, self.process = host, None

    def start(self):
        """Starts it, again after it has ended, and waits until it listens. RuntimeError with its last words else."""
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=self.environment)
        end = time.monotonic() + SECONDS_TO_LISTEN
        while True:
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.end()
                    with open(self.log, errors="replace") as output:
                        raise RuntimeError(f"{self.name} does not listen:\n{output.read()[-4000:]}") from None
                time.sleep(0.05)

    def url(self, path=""):
        return f"{self.scheme}://{self.host}:{self.port}{path}"

    def resident(self):
        """The resident size of this process alone, in kibibytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))

    def end(self):
        """Ends it as an administrator does who stops it; by force when that takes too long."""
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it for good."""
        if self.process and self.process.poll() is None:
            self.end()
