"""Servers that are programs of their own: nginx as it is deployed, and `openssl s_server`.

They end with this process, however it ends.
"""

import asyncio
import ctypes
import pathlib
import re
import signal
import tempfile

SITE = pathlib.Path(__file__).parents[2] / "hardware" / "nginx-ruview.conf"

# What a Debian nginx has around a site; everything that it writes goes to `folder`.
AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr notice;
events {{ worker_connections 64; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def end_with_parent():
    # What started us may block signals, and a blocked one would never end it.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Program:
    """A child process that says on one of its streams when it is ready."""

    def __init__(self, listener):
        self.listener = listener
        self.process = None
        self.folder = tempfile.TemporaryDirectory(prefix="track-server-")

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT, preexec_fn=end_with_parent,
        )
        said = []
        while line := await self.process.stdout.readline():
            said.append(line.decode(errors="replace").rstrip())
            if re.search(self.ready, said[-1]):
                self.reading = asyncio.create_task(self.read())
                return
        raise OSError("; ".join(said))

    async def read(self):
        while await self.process.stdout.readline():
            pass

    async def tell(self, word):
        match word:
            case "stop":
                self.process.send_signal(signal.SIGTERM)
                await self.process.wait()
                self.listener.say("stopped")
            case "start":
                await self.start()
                self.listener.say("started")
            case "reload":
                self.process.send_signal(signal.SIGHUP)
            case _:
                raise KeyError(f"a program is not told to {word}")

    def close(self):
        if self.process.returncode is None:
            self.process.terminate()
        self.listener.socket.close()
        self.folder.cleanup()


class Nginx(Program):
    """The site of hardware/, with the lines changed that a reader is asked to change, and the ports."""

    ready = "start worker process "

    def command(self):
        listener, folder = self.listener, pathlib.Path(self.folder.name)
        certificate = listener.house.certificates / f"{listener.certificate}.pem"
        site = SITE.read_text()
        for old, new in [
            ("listen 443 ssl;", f"listen 127.0.0.1:{listener.port} ssl;"),
            ("listen [::]:443 ssl;", ""),
            ("server_name ruview.example;", "server_name localhost;"),
            ("/etc/ssl/ruview/fullchain.pem", str(certificate)),
            ("/etc/ssl/ruview/privkey.pem", str(certificate)),
            ("127.0.0.1:8787", f"127.0.0.1:{listener.arguments['upstream']}"),
        ]:
            if site.count(old) != 1:
                raise ValueError(f"{SITE.name} has '{old}' {site.count(old)} times")
            site = site.replace(old, new)
        (folder / "site.conf").write_text(site)
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
        return "/usr/sbin/nginx", "-e", "stderr", "-c", str(folder / "nginx.conf")


class OpenSSL(Program):
    """Answers every request with a page of its own. The argument `options` goes to `openssl s_server` as it is."""

    ready = "^ACCEPT"

    def command(self):
        certificate = str(self.listener.house.certificates / f"{self.listener.certificate}.pem")
        return (
            "openssl", "s_server", "-accept", f"127.0.0.1:{self.listener.port}", "-cert", certificate, "-key", certificate,
            "-www", *self.listener.arguments.get("options", []),
        )


SCENARIOS = {"nginx": Nginx, "s_server": OpenSSL}


async def serve(listener):
    program = SCENARIOS[listener.scenario](listener)
    await program.start()
    return program
