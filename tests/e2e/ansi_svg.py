"""A terminal's screen, with its colours, as an SVG picture."""
import re
import unicodedata
from xml.sax.saxutils import escape

CELL, LINE, FONT = 8.4, 18, 14
FOREGROUND, BACKGROUND = "#e0e2ea", "#14161b"
BASE = ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
        "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"]


def _indexed(n):
    if n < 16:
        return BASE[n]
    if n >= 232:
        return "#" + f"{8 + (n - 232) * 10:02x}" * 3
    levels = [0, 95, 135, 175, 215, 255]
    n -= 16
    return "#" + "".join(f"{levels[part]:02x}" for part in (n // 36, n // 6 % 6, n % 6))


class _Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.italic = self.reverse = self.underline = False

    def apply(self, codes):
        codes = [int(code or 0) for code in re.split("[;:]", codes)]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (38, 48):
                if codes.pop(0) == 5:
                    colour = _indexed(codes.pop(0))
                else:
                    colour = "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))
                setattr(self, "fg" if code == 38 else "bg", colour)
            elif code in (39, 49):
                setattr(self, "fg" if code == 39 else "bg", None)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.fg = BASE[code - 30 if code < 90 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.bg = BASE[code - 40 if code < 100 else code - 92]
            else:
                self._flag(code)

    def _flag(self, code):
        for on, off, name in ((1, 22, "bold"), (2, 22, "dim"), (3, 23, "italic"), (4, 24, "underline"), (7, 27, "reverse")):
            if code in (on, off):
                setattr(self, name, code == on)

    def colours(self):
        fg, bg = self.fg or FOREGROUND, self.bg or BACKGROUND
        return (bg, fg) if self.reverse else (fg, bg)


def _width(char):
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _runs(line, style):
    """(column, width, text, style attributes) for each stretch of one look."""
    column, runs = 0, []
    for part in re.split(r"(\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\))", line):
        if part.startswith("\x1b["):
            style.apply(part[2:-1])
        elif part and not part.startswith("\x1b"):
            width = sum(_width(char) for char in part)
            look = (*style.colours(), style.bold, style.dim, style.italic, style.underline)
            runs.append((column, width, part, look))
            column += width
    return runs


def render(lines, columns):
    """`lines` as `tmux capture-pane -e` prints them."""
    width, height = round(columns * CELL + 24), len(lines) * LINE + 24
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
           "<style>text{font:%dpx ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}</style>" % FONT,
           f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>']
    style = _Style()
    for row, line in enumerate(lines):
        y = 12 + row * LINE
        runs = _runs(line, style)
        for column, cells, _, (_, bg, *_) in runs:
            if bg != BACKGROUND:
                out.append(f'<rect x="{12 + column * CELL:.1f}" y="{y}" width="{cells * CELL:.1f}" height="{LINE}" fill="{bg}"/>')
        for column, cells, text, (fg, _, bold, dim, italic, underline) in runs:
            if not text.strip():
                continue
            extra = (' font-weight="bold"' if bold else "") + (' opacity="0.6"' if dim else "") + \
                (' font-style="italic"' if italic else "") + (' text-decoration="underline"' if underline else "")
            # The length keeps columns in line whatever font the reader has.
            out.append(f'<text x="{12 + column * CELL:.1f}" y="{y + 13.5}" fill="{fg}"{extra} xml:space="preserve" '
                       f'textLength="{cells * CELL:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>')
    return "\n".join([*out, "</svg>", ""])
