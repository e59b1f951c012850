# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that tests look at pages with, by its DevTools protocol through two pipes."""

import base64
import fcntl
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

import tools

CHROMIUM = shutil.which("chromium")
PATIENCE_S = 60

# The least contrast of any text of a page to what is behind it.
CONTRAST = """(() => {
  const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(part => part / 255)
      .map(share => share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if (!/, 0\\)$/.test(color)) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const of = element => {
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const texts = 'h1, h2, h3, p, a, td, th, li, label, button:enabled, legend, caption, ' +
    'figcaption, summary, code, strong';
  return Math.min(...[...document.querySelectorAll(texts)].map(of));
})()"""


def need_chromium(page):
    """Ends the test of a page as skipped where Chromium is not installed."""
    tools.need(f"the page of {page} in a browser", commands={"chromium": "chromium"})


def pixels(png):
    """The rows of a PNG image with 8 bits a channel, as bytes, and the number of channels."""
    chunks, place = {}, 8
    while place < len(png):
        size, = struct.unpack(">I", png[place:place + 4])
        kind = png[place + 4:place + 8]
        chunks[kind] = chunks.get(kind, b"") + png[place + 8:place + 8 + size]
        place += size + 12
    width, _, depth, color = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    if depth != 8 or color not in (2, 6):
        raise ValueError("not the kind of PNG that Chromium writes")
    channels = 3 if color == 2 else 4
    line, data = width * channels, zlib.decompress(chunks[b"IDAT"])
    rows, above = [], bytes(line)
    for start in range(0, len(data), line + 1):
        above = unfiltered(data[start], data[start + 1:start + 1 + line], above, channels)
        rows.append(above)
    return rows, channels


def unfiltered(how, filtered, above, channels):
    row = bytearray(filtered)
    if how == 0:
        return bytes(row)
    for i, value in enumerate(filtered):
        left = row[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        if how == 1:
            guess = left
        elif how == 2:
            guess = above[i]
        elif how == 3:
            guess = (left + above[i]) // 2
        else:
            base = left + above[i] - corner
            guess = min((left, above[i], corner), key=lambda near: abs(base - near))
        row[i] = (value + guess) % 256
    return bytes(row)


def colors(png):
    """The different colors of an image."""
    rows, channels = pixels(png)
    return {row[i:i + 3] for row in rows for i in range(0, len(row), channels)}


class Browser:
    """One page at a time. `errors` has what the page complains of, `requests` the addresses that it
    asks for."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.writer = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in os.pipe())
        self.reader, from_browser = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in os.pipe())

        def connect():
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=connect, pass_fds=(3, 4))
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        self.errors, self.requests = [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")

    def close(self):
        os.close(self.writer)
        os.close(self.reader)
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def next_message(self):
        end = time.monotonic() + PATIENCE_S
        while b"\0" not in self.buffer:
            if not select.select([self.reader], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            piece = os.read(self.reader, 1 << 20)
            if not piece:
                raise EOFError("Chromium has ended")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, params):
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"]))
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.errors.append(str(params["args"]))
        if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(str(params["entry"]))
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method is not None:
            self.events.append(method)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next_message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path, width=1280, height=900, dark=False):
        """Opens a file in a window of that size and waits until it is there."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.errors, self.requests, self.events = [], [], []
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while "Page.loadEventFired" not in self.events:
            self.next_message()

    def run(self, script):
        """The value of a JavaScript expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def screenshot(self, selector="body", scale=0.5):
        """A PNG image of what a CSS selector names."""
        box = self.run("(() => { const b = document.querySelector(" + json.dumps(selector) +
                       ").getBoundingClientRect(); return {x: b.x + scrollX, y: b.y + scrollY, "
                       "width: b.width, height: b.height}; })()")
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True,
                                         clip={**box, "scale": scale})["data"])


class BrowserTest(unittest.TestCase):
    """Has one browser for all its tests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        super().tearDownClass()

    def assert_alone(self, path):
        """The page complains of nothing and asks for nothing but itself."""
        self.assertEqual(self.browser.errors, [])
        foreign = [url for url in self.browser.requests
                   if url != path.resolve().as_uri() and not url.startswith("data:")]
        self.assertEqual(foreign, [])
