"""What the user of campaign/sync does over WebDAV."""
import subprocess
import urllib.parse

from syncserver import digest


class DavUser:
    """A part of a run: uses its `rng`, `store` and `note`."""

    def act_over_dav(self):
        """As another WebDAV client does, and as rclone does."""
        tree = self.tree()
        if not tree:
            return
        places = [path for path, item in tree.items() if item[0] != "file"]
        files = [path for path, item in tree.items() if item[0] == "file"]
        things = [path for path, item in tree.items() if item[0] != "fund"]
        kind = self.rng.choices(["new", "change", "move", "delete", "mkdir", "rclone new", "rclone move"],
                                [25, 20, 20, 10, 8, 6, 6])[0]
        new = f"{self.rng.choice(places)}/{self.name()}"
        content, old = self.version(), None
        if kind == "new":
            status = self.store.dav(self, "PUT", new, content, **{"If-None-Match": "*"})
            if status == 201:
                self.required_there.add(digest(content))
        elif kind == "change" and files:
            new = self.rng.choice(files)
            status = self.store.dav(self, "PUT", new, content)
            if status in (201, 204):
                self.required_there.add(digest(content))
        elif kind == "move" and things:
            old = self.rng.choice(things)
            target = f"http://127.0.0.1:{self.store.server.port}/dav/{urllib.parse.quote(new)}"
            status = self.store.dav(self, "MOVE", old, Destination=target, Overwrite="F")
        elif kind == "delete" and things:
            new = self.rng.choice(things)
            status = self.store.dav(self, "DELETE", new)
        elif kind == "mkdir":
            status = self.store.dav(self, "MKCOL", new)
        elif kind == "rclone new":
            status = self.rclone("rcat", f":webdav:{new}", input=content)
            if status == 0:
                self.required_there.add(digest(content))
        elif kind == "rclone move" and files:
            old = self.rng.choice(files)
            status = self.rclone("moveto", f":webdav:{old}", f":webdav:{new}", "--ignore-existing")
        else:
            return
        done = status in (0, 201, 204)
        self.dav_acts[done] += 1
        self.note("WebDAV:", kind, *([old, "to"] if old else []), new, status)

    def rclone(self, *words, **options):
        return subprocess.run(["rclone", *words, *self.rclone_words], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=120, check=False, **options).returncode
