"""Cloud stores for drives, by TLS at an address of this machine that other machines reach, too: rclone asks no proxy about
loopback, and in the network of its sandbox that is empty."""
import os
import subprocess

from support.environment import run, SCRIPTS
from support.processes import free_port, Listener

USER, PASSWORD = "ann", "a long password of the store"
BUCKET, KEY, SECRET = "papers", "AKIDEXAMPLE", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"


def own_address():
    """An IPv4 address of this machine beside loopback; RuntimeError where it has none."""
    found = [word for word in run(["hostname", "-I"]).split() if "." in word and not word.startswith("127.")]
    if not found:
        raise RuntimeError("this machine has no address beside loopback")
    return found[0]


class Authority:
    """A certificate of the own address, which signs itself."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.address, self.certificate, self.key = own_address(), f"{folder}/ca.pem", f"{folder}/key.pem"
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=store", "-addext",
             f"subjectAltName=IP:{self.address}", "-keyout", self.key, "-out", self.certificate])


class Store(Listener):
    """A store that people may add as a drive."""

    scheme = "https"

    def __init__(self, name, authority, folder, words, log, environment=None):
        self.authority, self.folder = authority, folder
        super().__init__(name, words, self.port, log, environment, host=authority.address)

    @property
    def configuration(self):
        """What `private_hosts` names."""
        return f"{self.authority.address}:{self.port}"

    @staticmethod
    def drives(stores):
        """The lines of fundmail.yaml under which these stores may be used, all of one authority."""
        hosts = ", ".join(f'"{store.configuration}"' for store in stores)
        return f"drives: {{private_hosts: [{hosts}], tls_ca_file: {stores[0].authority.certificate}}}\n"

    def rclone(self, *words):
        """One command of rclone about this store, whose name there is `store:`; gives its output."""
        # rclone refuses S3 where this is set.
        others = {name: value for name, value in os.environ.items() if name != "AWS_CA_BUNDLE"}
        return run(["rclone", "--config", "/dev/null", "--ca-cert", self.authority.certificate, *words],
                   env={**others, **self.variables})


class WebDAVStore(Store):
    """`rclone serve webdav` over a folder, whose files are what it has.

    :param options: further options of rclone, such as `--bwlimit`
    """

    kind = "webdav"

    def __init__(self, authority, folder, log, *options):
        os.makedirs(folder, exist_ok=True)
        self.port = free_port()
        super().__init__("rclone serve webdav", authority, folder, [
            "rclone", "serve", "webdav", folder, "--config", "/dev/null", "--addr", f"{authority.address}:{self.port}",
            "--cert", authority.certificate, "--key", authority.key, "--user", USER, "--pass", PASSWORD, *options], log)

    @property
    def settings(self):
        return {"url": self.url("/"), "vendor": "other", "user": USER, "pass": PASSWORD}

    @property
    def variables(self):
        names = {"type": "webdav", "url": self.url("/"), "vendor": "other", "user": USER,
                 "pass": run(["rclone", "obscure", PASSWORD]).strip()}
        return {f"RCLONE_CONFIG_STORE_{name.upper()}": value for name, value in names.items()}

    def remote(self, path=""):
        return f"store:{path}"


class S3Store(Store):
    """moto, which PyPI has: S3 in memory, with one bucket. What it holds ends with it."""

    kind = "s3"
    PACKAGE = "moto[s3,server]==5.2.1"

    def __init__(self, authority, log):
        self.port = free_port()
        super().__init__("moto", authority, None, [
            os.path.join(SCRIPTS, "support", "pypi"), self.PACKAGE, "moto_server", "--host", authority.address, "--port",
            str(self.port), "--ssl-cert", authority.certificate, "--ssl-key", authority.key], log)

    @classmethod
    def is_there(cls):
        """Whether PyPI, or the folder of a run before, has it. Installs it."""
        words = [os.path.join(SCRIPTS, "support", "pypi"), cls.PACKAGE, "python3", "-c", "import moto.server"]
        return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def start(self):
        super().start()
        self.rclone("mkdir", self.remote())
        return self

    @property
    def settings(self):
        return {"endpoint": self.url(), "region": "us-east-1", "access_key_id": KEY, "secret_access_key": SECRET,
                "bucket": BUCKET}

    @property
    def variables(self):
        names = {"type": "s3", "provider": "Other", "endpoint": self.url(), "region": "us-east-1", "access_key_id": KEY,
                 "secret_access_key": SECRET, "env_auth": "false"}
        return {f"RCLONE_CONFIG_STORE_{name.upper()}": value for name, value in names.items()}

    def remote(self, path=""):
        return f"store:{BUCKET}/{path}"
