"""`fundmail serve --demo` as stories and pictures visit it."""
import json
import re
import subprocess

from server import ENVIRONMENT
from support.environment import run

ANN, OFFICE = "ann.archer@meridian.example", "office@meridian.example"
LAST_LINE = re.compile(r"--config (\S+)")


class Demo:
    """The demo of a program, until `stop`."""

    def __init__(self, program):
        self.program = program
        self.process = subprocess.Popen(
            [program, "serve", "--demo", "--demo-listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.address = self.configuration = None
        for line in self.process.stdout:
            if line.startswith("The demo: "):
                self.address = line.split()[2]
            if found := LAST_LINE.search(line):
                self.configuration = found[1]
                return
        raise RuntimeError("the demo does not start")

    def has_all_previews(self):
        status = json.loads(run([self.program, "preview", "status", "--json", "--config", self.configuration], env=ENVIRONMENT))
        return not any(status["waiting"].values())

    @staticmethod
    def sign_in(visit, email):
        """Signs in by the button that the page offers for one of the people."""
        visit.open("/sign-in")
        visit.press(f".demo form:has(input[value='{email}']) button")

    def stop(self):
        self.process.terminate()
        self.process.wait()
