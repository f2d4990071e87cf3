"""The web servers of the benchmarks: ours over a store, rclone and nginx over a folder, each on 127.0.0.1 until `stop`."""
import hashlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

from harness import new_folder, run

PASSWORD = "harbour-lantern-19-meadow"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    """A process that listens, with its output in a file beside its data."""

    def __init__(self, name, command, port):
        self.name, self.port = name, port
        folder = new_folder("log-" + name)
        os.makedirs(folder)
        self.log = os.path.join(folder, "log")
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.stop()
                    with open(self.log, errors="replace") as output:
                        sys.exit(f"{name} does not listen:\n{output.read()[-4000:]}")
                time.sleep(0.05)

    def url(self, path=""):
        return f"http://127.0.0.1:{self.port}{path}"

    def resident(self):
        """The resident size of this process alone, in kibibytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def processor_seconds(server):
    """Processor time of the server and of its live children."""
    ticks, family = 0, {server.process.pid}
    for name in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
        try:
            with open(f"/proc/{name}/stat") as file:
                words = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(name) in family or int(words[1]) in family:
            family.add(int(name))
            ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class ProcessorTime(threading.Thread):
    """Processor seconds of a server and of all below it, from `start` to `stop`, those included that end meanwhile. By
    looking at /proc, since bwrap does not wait for what ran in it, so that no parent has the time of a converter: what
    one takes in its last 20 ms is missing."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.process, self.ticks, self.before, self.done = server.process.pid, {}, {}, threading.Event()

    def run(self):
        self.look()
        self.before = dict(self.ticks)
        while not self.done.wait(0.02):
            self.look()

    def look(self):
        waiting = [self.process]
        while waiting:
            process = waiting.pop()
            try:
                for task in os.listdir(f"/proc/{process}/task"):
                    with open(f"/proc/{process}/task/{task}/children") as file:
                        waiting += map(int, file.read().split())
                with open(f"/proc/{process}/stat") as file:
                    words = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            # Numbers of processes come again: told apart by when one began.
            self.ticks[process, words[19]] = int(words[11]) + int(words[12])

    def stop(self):
        self.done.set()
        self.join()
        self.look()
        return (sum(self.ticks.values()) - sum(self.before.values())) / os.sysconf("SC_CLK_TCK")


def rclone(folder, protocol="webdav"):
    """`rclone serve` with its defaults, without a password, which saves it work; None where it is missing."""
    if not shutil.which("rclone"):
        return None
    port = free_port()
    return Server("rclone", ["rclone", "serve", protocol, folder, "--addr", f"127.0.0.1:{port}"], port)


def nginx(folder):
    """nginx's static files with sendfile and without a log; None where it is missing."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not program:
        return None
    port, place = free_port(), new_folder("nginx")
    os.makedirs(place)
    user = "user root;" if os.geteuid() == 0 else ""
    with open(os.path.join(place, "nginx.conf"), "w") as file:
        file.write(f"""{user} daemon off; worker_processes auto; pid {place}/pid; error_log stderr;
events {{ worker_connections 4096; }}
http {{
    access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream; keepalive_requests 1000000000;
    client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
""")
    return Server("nginx", [program, "-e", "stderr", "-p", place, "-c", os.path.join(place, "nginx.conf")], port)


def web_call(port, method, path, body, content_type, headers, timeout):
    """One request of the web API: gives the status, the bytes of the answer, and what its JSON says, or the bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        if body is not None:
            headers = {**headers, "Content-Type": content_type}
            if content_type == "application/json":
                body = json.dumps(body).encode()
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
        is_json = (response.getheader("Content-Type") or "").startswith("application/json")
        return response.status, content, json.loads(content) if is_json else content
    finally:
        connection.close()


class Ours(Server):
    """A store that `init` made, with one user and funds, being served."""

    USER = "ann@example.com"

    def __init__(self, program, name, funds=("Fund1",), prepare=None):
        self.program = program
        self.folder = new_folder(name)
        run([program, "init", self.folder])
        self.configuration = os.path.join(self.folder, "fundmail.yaml")
        port = free_port()
        with open(self.configuration, "a") as file:
            file.write(f"server: {{listen: \"127.0.0.1:{port}\"}}\n")
        run(self.command("user", "add", self.USER))
        for fund in funds:
            run(self.command("fund", "add", fund, "--owner", self.USER))
        run(self.command("user", "passwd", self.USER), input=PASSWORD + "\n")
        if prepare:
            prepare(self)
        super().__init__("fundmail", self.command("serve"), port)
        answer = self.call("POST", "/api/v1/session", {"username": self.USER, "password": PASSWORD})
        self.bearer = f"Authorization: Bearer {answer['token']}"

    def command(self, *words):
        return [self.program, "--config", self.configuration, *words]

    @property
    def database(self):
        return os.path.join(self.folder, "store", "fundmail.sqlite")

    def app_password(self):
        return run(self.command("user", "token", "add-app", self.USER)).strip()

    def call(self, method, path, body=None, content_type="application/json"):
        """One request of the web API; gives what the JSON says, or bytes."""
        headers = dict([self.bearer.split(": ", 1)]) if hasattr(self, "bearer") else {}
        status, content, answer = web_call(self.port, method, path, body, content_type, headers, timeout=120)
        if status >= 300:
            sys.exit(f"{method} {path}: {status}\n{content[:2000].decode(errors='replace')}")
        return answer

    def check(self, path, content):
        """Downloads a file once and compares it; afterwards the server has hashed it, as after any first request."""
        if hashlib.sha256(self.call("GET", path)).digest() != hashlib.sha256(content).digest():
            sys.exit(f"{path} gives other bytes than were stored")


def wrk(url, lines, headers=(), body=None, fresh=False, connections=16, seconds=5, threads=2):
    """Repeats requests, each with another body if `fresh`; gives what requests.lua printed."""
    here = os.path.dirname(os.path.abspath(__file__))
    folder = new_folder("wrk")
    os.makedirs(folder)
    path = os.path.join(folder, "requests")
    with open(path, "w") as file:
        file.write("".join(f"{method}\t{target}\n" for method, target in lines))
    words = [path, *headers]
    if body is not None:
        with open(os.path.join(folder, "body"), "wb") as file:
            file.write(body)
        words += ["body", os.path.join(folder, "body"), *(["fresh"] if fresh else [])]
    before = os.times()
    output = run(["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s",
                  os.path.join(here, "requests.lua"), url, "--", *words])
    result = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    after = os.times()
    result["client_seconds"] = (after.children_user + after.children_system) - (
        before.children_user + before.children_system)
    if result["refused"] or result["broken"] or not result["requests"]:
        sys.exit(f"{url}: not all was answered: {result}")
    return result
