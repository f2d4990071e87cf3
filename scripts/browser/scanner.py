"""A real clamd with one signature of our own, that of the test file EICAR."""
import os
import shutil
import socket
import subprocess
import tempfile

from support.processes import wait_until

#: In two parts, so that no scanner finds it in this file.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$" + b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
DIGEST = "275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f"
PROGRAM = shutil.which("clamd") or shutil.which("clamd", path="/usr/sbin")


def answers(path):
    """Whether clamd does: its socket is there a moment before it listens (clamd(8), PING)."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(10)
        try:
            line.connect(path)
            line.sendall(b"zPING\0")
            return line.recv(5) == b"PONG\0"
        except OSError:
            return False


class Scanner:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="fundmail-clamd-")
        os.mkdir(f"{self.folder}/db")
        with open(f"{self.folder}/db/test.hsb", "w") as file:
            file.write(f"{DIGEST}:{len(EICAR)}:Fundmail.Test.Eicar\n")
        path = f"{self.folder}/socket"
        with open(f"{self.folder}/clamd.conf", "w") as file:
            file.write(f"LocalSocket {path}\nDatabaseDirectory {self.folder}/db\nForeground yes\n"
                       "AlertExceedsMax yes\nAlertEncrypted yes\n")
        self.process = subprocess.Popen(
            [PROGRAM, "--config-file", f"{self.folder}/clamd.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.process.poll() is not None or answers(path), "clamd does not answer", pause=0.05)
        if self.process.poll() is not None:
            raise RuntimeError("clamd does not start")
        #: For fundmail.yaml.
        self.configuration = f"scan: {{clamd: {path}}}\n"

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
