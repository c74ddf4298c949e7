#!/usr/bin/env python3
"""Draws the plugin's icon, two speech bubbles that overlap: docs/make-icon.py

Shapes are signed distances in pixels, negative inside, so an edge is smooth without drawing it larger first.
"""

import math
import struct
import zlib
from pathlib import Path

SIZE = 512
ICON = Path(__file__).resolve().parent.parent / ".claude-plugin" / "icon.png"

Colour = tuple[int, int, int]
NIGHT: Colour = (27, 31, 48)
CORAL: Colour = (255, 122, 89)
MINT: Colour = (94, 214, 190)
PAPER: Colour = (255, 255, 255)


def main() -> None:
    rows = (b"\0" + b"".join(pixel(x + 0.5, y + 0.5) for x in range(SIZE)) for y in range(SIZE))
    header = struct.pack(">2I5B", SIZE, SIZE, 8, 6, 0, 0, 0)  # eight bits a channel, with transparency
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows), 9)), (b"IEND", b""))
    ICON.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name, data) for name, data in parts))


def pixel(x: float, y: float) -> bytes:
    colour: tuple[float, ...] = NIGHT
    for shade, distance in layers(x, y):
        share = coverage(distance)
        colour = tuple(old + (new - old) * share for old, new in zip(colour, shade, strict=True))
    frame = box(x, y, 256, 256, 512, 512, 112)
    return bytes([*(round(part) for part in colour), round(255 * coverage(frame))])


def layers(x: float, y: float) -> list[tuple[Colour, float]]:
    """What is painted, one over the other. The bubble in front keeps a gap around itself."""
    behind = min(box(x, y, 206, 194, 264, 184, 56), triangle(x, y, (110, 250), (176, 250), (104, 338)))
    front = min(box(x, y, 312, 306, 260, 176, 56), triangle(x, y, (340, 362), (404, 362), (412, 444)))
    lines = min(box(x, y, 312, 282, 148, 20, 10), box(x, y, 286, 328, 96, 20, 10))
    dots = min(math.hypot(x - cx, y - 172) - 14 for cx in (142, 194, 246))
    return [(CORAL, behind), (PAPER, dots), (NIGHT, front - 18), (MINT, front), (NIGHT, lines)]


def coverage(distance: float) -> float:
    return min(max(0.5 - distance, 0.0), 1.0)


def box(x: float, y: float, cx: float, cy: float, width: float, height: float, radius: float) -> float:
    """The distance to a box with round corners, from its middle and size."""
    right, down = abs(x - cx) - width / 2 + radius, abs(y - cy) - height / 2 + radius
    return math.hypot(max(right, 0), max(down, 0)) + min(max(right, down), 0) - radius


Point = tuple[float, float]


def triangle(x: float, y: float, *corners: Point) -> float:
    """The distance to the farthest of its three sides: right along the edges, which is all that is seen."""
    middle = (sum(corner[0] for corner in corners) / 3, sum(corner[1] for corner in corners) / 3)
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    return max(beyond((x, y), a, b) * (-1 if beyond(middle, a, b) > 0 else 1) for a, b in sides)


def beyond(point: Point, a: Point, b: Point) -> float:
    """How far a point lies on one hand of the line through a and b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    return ((point[0] - a[0]) * dy - (point[1] - a[1]) * dx) / math.hypot(dx, dy)


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    main()
