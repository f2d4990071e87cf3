"""What a Chromium says of a page: bytes, requests, paint, tasks, shifts, heap. Needs Playwright, which is installed into
.build/pages/venv as for scripts/pages."""
import os
import subprocess
import sys

from harness import REPOSITORY

# Without the windows of a browser, which are pages themselves and take a core of two.
CHROMIUM = "/usr/bin/chromium-headless-shell"
VIEW = {"viewport": {"width": 1024, "height": 768}, "locale": "en-GB"}
# 1.6 Mbit/s down, 750 kbit/s up, 40 ms, a processor four times as slow: a phone on a slow network.
SLOW_NETWORK = {"offline": False, "latency": 40, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
SLOW_PROCESSOR = {"rate": 4}

# Paint Timing, Largest Contentful Paint, Long Tasks, Layout Instability and Event Timing (W3C).
OBSERVE = """(() => {
  if (top !== self) return;
  const seen = window.seenByBench = { paint: 0, largest: 0, longest: 0, shift: 0, interaction: 0 };
  const observe = (type, note, more) => new PerformanceObserver((list) => list.getEntries().forEach(note))
    .observe({ type, buffered: true, ...more });
  observe("paint", (entry) => { if (entry.name === "first-contentful-paint") seen.paint = entry.startTime; });
  observe("largest-contentful-paint", (entry) => { seen.largest = entry.startTime; });
  observe("longtask", (entry) => { seen.longest = Math.max(seen.longest, entry.duration); });
  observe("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
  observe("event", (entry) => {
    if (entry.interactionId) seen.interaction = Math.max(seen.interaction, entry.duration);
  }, { durationThreshold: 16 });
})()"""
# `painted` has when each element came whose text says `arrival N`: after the frame in which it is shown. By itself, since
# it reads all that comes, which takes longer than a budget allows.
OBSERVE_ARRIVALS = """(() => {
  if (top !== self) return;
  const seen = window.seenByBench;
  seen.painted = {};
  new MutationObserver((list) => {
    for (const node of list.flatMap((one) => [...one.addedNodes])) {
      for (const [, number] of node.textContent.matchAll(/arrival (\\d+)/g)) {
        if (number in seen.painted) continue;
        seen.painted[number] = 0;
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => { seen.painted[number] = performance.timeOrigin + performance.now(); };
          port2.postMessage(0);
        });
      }
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
})()"""
# `picture` has the page of a document that the viewer showed last, and when it was painted; `clicked`, when the latest
# click came: milliseconds since the page was asked for.
OBSERVE_PICTURES = """(() => {
  if (top !== self) return;
  const seen = window.seenByBench;
  addEventListener("click", ({ timeStamp }) => { seen.clicked = timeStamp; }, true);
  // The event does not come to the window, unlike that of the page itself.
  document.addEventListener("load", ({ target }) => {
    if (!target.matches?.("[data-leaf] img")) return;
    const page = Number(new URL(target.src).searchParams.get("page"));
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { seen.picture = { page, at: performance.now() }; };
      port2.postMessage(0);
    });
  }, true);
})()"""
READ = """({ ...window.seenByBench,
  interactive: performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd })"""


def with_playwright():
    """Goes on in the virtual environment that has Playwright, which is made when it is missing."""
    folder = os.path.join(REPOSITORY, ".build", "pages", "venv")
    python = os.path.join(folder, "bin", "python3")
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        return
    if subprocess.run([python, "-c", "import playwright"], capture_output=True).returncode if os.path.exists(python) else True:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([os.path.join(folder, "bin", "pip"), "install", "-q", "playwright==1.65.0"], check=True)
    os.execv(python, [python, *sys.argv])


class Tab:
    """A page in a browser context of its own, with its line to the browser's own measurements (CDP).

    :param cookie: of a session, for our server
    :param slow: as on a slow device with a slow network
    :param arrivals: whether it is to be told when rows come
    :param pictures: whether it is to be told when pages of documents are shown
    """

    def __init__(self, browser, address, cookie=None, slow=False, arrivals=False, pictures=False):
        self.context = browser.new_context(**VIEW)
        if cookie:
            self.context.add_cookies([{"name": "fundmail", "value": cookie, "url": address}])
        self.context.add_init_script(OBSERVE)
        if arrivals:
            self.context.add_init_script(OBSERVE_ARRIVALS)
        if pictures:
            self.context.add_init_script(OBSERVE_PICTURES)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.line = self.context.new_cdp_session(self.page)
        self.kinds, self.bytes, self.requests, self.early = {}, {}, 0, None
        self.line.on("Network.requestWillBeSent", self.asked)
        self.line.on("Network.responseReceived", lambda event: self.kinds.update({event["requestId"]: event["type"]}))
        self.line.on("Network.loadingFinished", self.loaded)
        self.line.on("Page.domContentEventFired", self.interactive)
        for domain in ("Network", "Page", "Performance"):
            self.line.send(f"{domain}.enable")
        if slow:
            self.line.send("Network.emulateNetworkConditions", SLOW_NETWORK)
            self.line.send("Emulation.setCPUThrottlingRate", SLOW_PROCESSOR)

    def asked(self, event):
        if not event["request"]["url"].startswith("data:"):
            self.requests += 1

    def loaded(self, event):
        kind = self.kinds.get(event["requestId"], "Other")
        self.bytes[kind] = self.bytes.get(kind, 0) + event["encodedDataLength"]

    def interactive(self, _):
        if self.early is None:
            self.early = self.requests

    def come_from(self, address):
        """Shows a page of another site, as a first visit finds one: the browser then takes another process for ours,
        as it does for every site. From an empty page it would do so only for pages that want one of their own
        (Cross-Origin-Opener-Policy), which costs 40 ms and more."""
        self.page.goto(address, wait_until="load")
        self.page.wait_for_timeout(300)

    def open(self, address):
        """Opens a page, and gives what was seen of it until half a second later."""
        self.bytes, self.requests, self.early = {}, 0, None
        self.page.goto(address, wait_until="load")
        self.page.wait_for_timeout(500)
        return self.read()

    def read(self):
        seen = self.page.evaluate(READ)
        return {**seen, "bytes": sum(self.bytes.values()), "kinds": dict(self.bytes), "requests": self.early}

    def metrics(self):
        return {one["name"]: one["value"] for one in self.line.send("Performance.getMetrics")["metrics"]}

    def heap(self):
        """Bytes that are reachable."""
        for _ in range(3):
            self.line.send("HeapProfiler.collectGarbage")
        return self.line.send("Runtime.getHeapUsage")["usedSize"]

    def close(self):
        self.context.close()
