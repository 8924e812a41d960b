"""A server over HTTP under test: a process that says its address on stderr and has a /healthz."""
import re
import signal
import subprocess
import threading
import urllib.request

HANG = 120  # seconds after which silence is a failure


class Bad(Exception):
    pass


class Server:
    def __init__(self, command, on_line=lambda line: None):
        """on_line: told every line of stderr, on a thread of its own."""
        self.said, self.on_line = [], on_line
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        self.address, self.heard = None, threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        with self.heard:
            self.heard.wait_for(lambda: self.address or self.process.poll() is not None, HANG)
        if not self.address:
            self.stop()
            raise Bad("the server named no http:// address on stderr:\n" + self.last_words())

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line)
            found = re.search(r"http://[^\s\"',]+", line)
            with self.heard:
                if found and not self.address:
                    self.address = found[0].rstrip(".)/")
                self.heard.notify_all()
            self.on_line(line)
        self.process.stderr.close()
        self.process.wait()
        with self.heard:
            self.heard.notify_all()

    @property
    def url(self):
        return self.address if self.address.endswith("/mcp") else self.address + "/mcp"

    def last_words(self):
        return "".join(self.said[-40:])

    def check_health(self, when):
        if self.process.poll() is not None:
            raise Bad(f"{when} the server had ended with {self.process.returncode}:\n{self.last_words()}")
        try:
            with urllib.request.urlopen(self.url[:-len("/mcp")] + "/healthz", timeout=HANG) as answer:
                if answer.status != 200:
                    raise Bad(f"{when} /healthz answered {answer.status}")
        except OSError as e:
            raise Bad(f"{when} /healthz: {e}\n{self.last_words()}") from None

    def stop(self):
        """The exit status after SIGTERM; None when it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
