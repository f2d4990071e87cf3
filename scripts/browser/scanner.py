"""A real clamd with one signature of our own, that of the test file EICAR."""
import os
import shutil
import subprocess
import tempfile
import time

#: In two parts, so that no scanner finds it in this file.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$" + b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
DIGEST = "275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f"
PROGRAM = shutil.which("clamd") or shutil.which("clamd", path="/usr/sbin")


class Scanner:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="fundmail-clamd-")
        os.mkdir(f"{self.folder}/db")
        with open(f"{self.folder}/db/test.hsb", "w") as file:
            file.write(f"{DIGEST}:{len(EICAR)}:Fundmail.Test.Eicar\n")
        socket = f"{self.folder}/socket"
        with open(f"{self.folder}/clamd.conf", "w") as file:
            file.write(f"LocalSocket {socket}\nDatabaseDirectory {self.folder}/db\nForeground yes\n"
                       "AlertExceedsMax yes\nAlertEncrypted yes\n")
        self.process = subprocess.Popen(
            [PROGRAM, "--config-file", f"{self.folder}/clamd.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not os.path.exists(socket):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("clamd does not start")
            time.sleep(0.05)
        #: For fundmail.yaml.
        self.configuration = f"scan: {{clamd: {socket}}}\n"

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
