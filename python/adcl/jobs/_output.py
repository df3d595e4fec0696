"""Buffer for a job's output: all of it, or its beginning and end."""

from __future__ import annotations

from collections import deque

__all__ = ["KeptOutput"]


class KeptOutput:
    """Collects output. If it exceeds `limit` bytes, the first and last halves of the limit are kept."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit - limit // 2
        self._tail_limit = limit // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.left_out = 0

    def add(self, data: bytes) -> None:
        """Append output."""
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        rest = data[room:]
        if not rest:
            return
        self._tail.append(rest)
        self._tail_size += len(rest)
        while self._tail_size > self._tail_limit:
            surplus = self._tail_size - self._tail_limit
            first = self._tail.popleft()
            dropped = min(surplus, len(first))
            if dropped < len(first):
                self._tail.appendleft(first[dropped:])
            self._tail_size -= dropped
            self.left_out += dropped

    def text(self) -> str:
        """Return the kept output; one line marks the omitted part."""
        tail = b"".join(self._tail)
        if not self.left_out:
            return (bytes(self._head) + tail).decode(errors="replace")
        gap = f"\n[… {self.left_out} bytes omitted …]\n" if self._head_limit else ""
        return self._head.decode(errors="replace") + gap + tail.decode(errors="replace")
