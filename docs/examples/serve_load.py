"""Load for `glossa serve`: clients on this machine that request one sentence after another.

    python3 docs/examples/serve_load.py http://127.0.0.1:5000 SOURCE TARGET FILE [--clients 32] [--requests 2000]
                                        [--expect FILE] [--pid N]

Each client has its own connection and sends the next line of FILE once the last one is answered. Prints requests per
second, response times, and the clients' own processor time, which the server lacks on the same cores. With --expect,
the answers must be the lines of that file, which is the output of `glossa translate` for FILE. With --pid, prints the
resident memory of that process after every 2,000 requests. Only for servers on this machine.
"""

import argparse
import http.client
import ipaddress
import itertools
import json
import sys
import threading
import time
import urllib.parse


def arguments():
    parser = argparse.ArgumentParser(description="Load for glossa serve, from this machine.")
    parser.add_argument("url")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("file")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--expect")
    parser.add_argument("--pid", type=int)
    given = parser.parse_args()
    given.address = urllib.parse.urlsplit(given.url)
    host = given.address.hostname
    if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
        parser.error(f"expected a server on this machine; got {host}")
    return given


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def resident_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS:"))


class Load:
    def __init__(self, given):
        self.given = given
        self.lines = lines_of(given.file)
        self.expected = lines_of(given.expect) if given.expect else None
        self.next = itertools.count()
        self.seconds, self.wrong = [], []
        self.lock = threading.Lock()

    def client(self):
        address = self.given.address
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        headers = {"Content-Type": "application/json"}
        while (number := next(self.next)) < self.given.requests:
            line = self.lines[number % len(self.lines)]
            body = json.dumps({"q": line, "source": self.given.source, "target": self.given.target})
            began = time.perf_counter()
            try:
                connection.request("POST", "/translate", body.encode(), headers)
                response = connection.getresponse()
                answer = json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError) as error:
                connection.close()
                answer = {"error": repr(error)}
            took = time.perf_counter() - began
            expected = self.expected[number % len(self.lines)] if self.expected else None
            translated = answer.get("translatedText")
            with self.lock:
                self.seconds.append(took)
                if translated is None or (expected is not None and translated != expected):
                    self.wrong.append((line, answer))
                if self.given.pid and len(self.seconds) % 2000 == 0:
                    print(f"after {len(self.seconds)} requests: {resident_mib(self.given.pid):.1f} MiB", flush=True)

    def run(self):
        clients = [threading.Thread(target=self.client) for _ in range(self.given.clients)]
        began, began_here = time.perf_counter(), time.process_time()
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        took, took_here = time.perf_counter() - began, time.process_time() - began_here
        self.seconds.sort()
        part = lambda share: 1000 * self.seconds[min(len(self.seconds) - 1, int(share * len(self.seconds)))]
        print(f"{len(self.seconds)} requests of {self.given.clients} clients in {took:.2f} s: "
              f"{len(self.seconds) / took:.1f} requests/s")
        print(f"answers: p50 {part(0.5):.0f} ms, p99 {part(0.99):.0f} ms; the clients' own processor time: "
              f"{took_here:.2f} s")
        for line, answer in self.wrong[:3]:
            print(f"wrong: {line!r}: {answer}", file=sys.stderr)
        print(f"{len(self.wrong)} wrong" if self.wrong or self.expected else "none failed")
        return 1 if self.wrong else 0


if __name__ == "__main__":
    sys.exit(Load(arguments()).run())
