"""What our web server is compared with, rclone and nginx over a folder, and what is measured of servers."""
import json
import os
import shutil
import sys
import threading

from harness import new_folder, run
from support.processes import free_port, Listener


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


def listening(name, command, port, scheme="http"):
    """A server that listens, with its log in a folder of its own."""
    folder = new_folder("log-" + name)
    os.makedirs(folder)
    server = Listener(name, command, port, os.path.join(folder, "log"))
    server.scheme = scheme
    return server.start()


def rclone(folder, protocol="webdav", certificate=None):
    """`rclone serve` with its defaults, without a password, which saves it work; None where it is missing.

    :param certificate: files of a chain and its key, for TLS
    """
    if not shutil.which("rclone"):
        return None
    port = free_port()
    words = ["rclone", "serve", protocol, folder, "--addr", f"127.0.0.1:{port}"]
    if certificate:
        words += ["--cert", certificate[0], "--key", certificate[1]]
    return listening("rclone", words, port, "https" if certificate else "http")


def nginx(folder, certificate=None):
    """nginx's static files with sendfile and without a log; None where it is missing.

    :param certificate: files of a chain and its key, for TLS
    """
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not program:
        return None
    port, place = free_port(), new_folder("nginx")
    os.makedirs(place)
    user = "user root;" if os.geteuid() == 0 else ""
    tls = f"ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]};" if certificate else ""
    with open(os.path.join(place, "nginx.conf"), "w") as file:
        file.write(f"""{user} daemon off; worker_processes auto; pid {place}/pid; error_log stderr;
events {{ worker_connections 4096; }}
http {{
    access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream; keepalive_requests 1000000000;
    client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi;
    server {{ listen 127.0.0.1:{port}{" ssl" if tls else ""}; {tls} root {folder}; }}
}}
""")
    return listening("nginx", [program, "-e", "stderr", "-p", place, "-c", os.path.join(place, "nginx.conf")],
                     port, "https" if certificate else "http")


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
