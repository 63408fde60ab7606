"""A network of its own for one host, with one way to the server and one to the repositories; each can be cut. Needs
root. What is cut swallows packets, as a broken network does: nobody is told."""

import socket
import subprocess
import threading


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """Two pairs of interfaces between this machine and a namespace."""

    def __init__(self, name, number):
        self.name = f"ralph-{name}"[:15]
        self.number = number
        self.relays = []
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)
        ip("netns", "add", self.name)
        ip("-n", self.name, "link", "set", "lo", "up")
        for way in ("server", "git"):
            outside, inside = self.ends(way)
            subprocess.run(["ip", "link", "del", outside], capture_output=True)
            ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", self.name)
            ip("addr", "add", f"{self.address(way)}/30", "dev", outside)
            ip("-n", self.name, "addr", "add", f"{self.address(way, inside=True)}/30", "dev", inside)
            ip("link", "set", outside, "up")
            ip("-n", self.name, "link", "set", inside, "up")

    def ends(self, way):
        return f"rf{self.number}{way[0]}o", f"rf{self.number}{way[0]}i"

    def address(self, way, inside=False):
        third = 2 * (self.number % 128) + (way == "git")
        return f"10.213.{third}.{2 if inside else 1}"

    def words(self):
        """What a command must begin with to run there."""
        return ["ip", "netns", "exec", self.name]

    def cut(self, way):
        ip("link", "set", self.ends(way)[0], "down")

    def relay(self, way, port):
        """Hands connections to a port of this machine's loopback on; gives the address to use inside."""
        listener = socket.create_server((self.address(way), 0))
        self.relays.append(listener)
        threading.Thread(target=accept, args=(listener, port), daemon=True).start()
        return f"{self.address(way)}:{listener.getsockname()[1]}"

    def remove(self):
        for listener in self.relays:
            listener.close()
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)
        for way in ("server", "git"):
            subprocess.run(["ip", "link", "del", self.ends(way)[0]], capture_output=True)


def accept(listener, port):
    while True:
        try:
            near, _ = listener.accept()
            far = socket.create_connection(("127.0.0.1", port))
        except OSError:
            return
        for pair in ((near, far), (far, near)):
            threading.Thread(target=copy, args=pair, daemon=True).start()


def copy(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
