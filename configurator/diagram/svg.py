"""A picture as SVG text, for export: the same boxes, lines and texts in the colours of a mode."""

from __future__ import annotations

from xml.sax.saxutils import escape

from configurator.diagram.picture import Box, Edge, Label, Picture
from configurator.diagram.tokens import FAMILY, LIGHT, Tokens


def svg(picture: Picture, look: Tokens = LIGHT, background: str = "panel") -> str:
    """The whole picture; fonts by name with plain fallbacks, so that it stays editable."""
    width, height = round(picture.width), round(picture.height)
    fonts = f"{FAMILY}, DejaVu Sans, sans-serif"
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{fonts}" role="img">',
        f"<title>{escape(picture.title)}</title>",
        f"<desc>{escape(picture.summary)}</desc>",
        f'<rect width="{width}" height="{height}" fill="{getattr(look, background)}"/>',
    ]
    for layer in picture.layers():
        parts += [_box(box, look) for box in picture.boxes if box.layer == layer]
        parts += [_edge(edge, look) for edge in picture.edges if edge.layer == layer]
    parts += [_label(label, look) for label in picture.labels]
    return "\n".join([*parts, "</svg>", ""])


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def _box(box: Box, look: Tokens) -> str:
    dash = ' stroke-dasharray="4 3"' if box.dashed else ""
    said = f"<title>{escape(' · '.join([box.name, *box.facts]))}</title>" if box.name else ""
    return (
        f'<rect x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" height="{_number(box.height)}"'
        f' rx="{_number(min(box.radius, box.height / 2))}" fill="{getattr(look, box.fill)}"'
        f' stroke="{getattr(look, box.stroke)}" stroke-width="{_number(box.stroke_width)}"{dash}>{said}</rect>'
    )


def _edge(edge: Edge, look: Tokens) -> str:
    colour = getattr(look, edge.colour)
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in edge.points)
    dash = ' stroke-dasharray="7 5"' if edge.dashed else ""
    said = f"<title>{escape(' · '.join([edge.name, *edge.facts]))}</title>" if edge.name else ""
    line = (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{_number(edge.width)}"'
        f' stroke-linejoin="round"{dash}>{said}</polyline>'
    )
    return line + (_arrow(edge, colour) if edge.arrow else "")


def _arrow(edge: Edge, colour: str) -> str:
    (ax, ay), (bx, by) = edge.points[-2], edge.points[-1]
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1e-9)
    dx, dy = (bx - ax) / length * 9, (by - ay) / length * 9
    corners = ((bx, by), (bx - dx - dy / 2, by - dy + dx / 2), (bx - dx + dy / 2, by - dy - dx / 2))
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def _label(label: Label, look: Tokens) -> str:
    anchor = {"left": "start", "centre": "middle", "right": "end"}[label.align]
    left, top, right, bottom = label.box
    ground = ""
    if label.pill:
        ground = (
            f'<rect x="{_number(left)}" y="{_number(top)}" width="{_number(right - left)}"'
            f' height="{_number(bottom - top)}" rx="{_number((bottom - top) / 2)}" fill="{getattr(look, label.ground)}"'
            f' stroke="{getattr(look, label.outline)}"/>'
        )
    weight = ' font-weight="600"' if label.strong else ""
    place = f'x="{_number(label.x)}" y="{_number(label.y + label.size * 0.36)}"'
    return (
        f'{ground}<text {place} font-size="{_number(label.size)}"'
        f' text-anchor="{anchor}" fill="{getattr(look, label.colour)}"{weight}>{escape(label.text)}</text>'
    )
