"""OpenStack Swift with its S3 interface, all servers in one process on loopback:

    python3 openstack_swift.py FOLDER KEY SECRET [CERTIFICATE PRIVATE_KEY]

With a certificate it serves TLS. It checks signatures, digests of payloads and conditions, as AWS does. `port N` is printed once it serves; the bucket has
to be made by who uses it. What it holds lies below FOLDER.
"""

import logging
import os
import sys

import eventlet
import eventlet.wsgi

folder, key, secret, *tls = sys.argv[1:]
account, user = key.split(":")

import swift.common.utils as utils  # noqa: E402

with open(f"{folder}/swift.conf", "w") as file:
    file.write("[swift-hash]\nswift_hash_path_prefix = test\nswift_hash_path_suffix = test\n")
for module in (utils, sys.modules.get("swift.common.utils.config")):
    if module and hasattr(module, "SWIFT_CONF_FILE"):
        module.SWIFT_CONF_FILE = f"{folder}/swift.conf"
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("swift.") and hasattr(module, "HASH_PATH_SUFFIX"):
        module.HASH_PATH_SUFFIX, module.HASH_PATH_PREFIX = b"test", b"test"

from swift.common.ring.builder import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

os.makedirs(f"{folder}/devices/disk", exist_ok=True)
KINDS = ("account", "container", "object")
sockets = {kind: eventlet.listen(("127.0.0.1", 0)) for kind in (*KINDS, "proxy")}
for kind in KINDS:
    ring = RingBuilder(2, 1, 0)
    ring.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1.0, "ip": "127.0.0.1",
                  "port": sockets[kind].getsockname()[1], "device": "disk"})
    ring.rebalance()
    ring.get_ring().save(f"{folder}/{kind}.ring.gz")

COMMON = f"""
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
log_level = ERROR
"""
for kind in KINDS:
    with open(f"{folder}/{kind}.conf", "w") as file:
        file.write(f"{COMMON}[pipeline:main]\npipeline = server\n[app:server]\nuse = egg:swift#{kind}\n")
with open(f"{folder}/proxy.conf", "w") as file:
    file.write(f"""{COMMON}
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth bulk slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
min_segment_size = 1
check_bucket_owner = false
[filter:slo]
use = egg:swift#slo
rate_limit_after_segment = 100000
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
""")
logging.disable(logging.WARNING)
if tls:
    sockets["proxy"] = eventlet.wrap_ssl(sockets["proxy"], certfile=tls[0], keyfile=tls[1], server_side=True)
for kind, socket in sockets.items():
    app = loadapp(f"{folder}/{kind}.conf", global_conf={"log_name": kind})
    eventlet.spawn(eventlet.wsgi.server, socket, app, log_output=False)
print(f"port {sockets['proxy'].getsockname()[1]}", flush=True)
while True:
    eventlet.sleep(3600)
