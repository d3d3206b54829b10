"""Finds mutants of C++ sources with libclang, and writes sources that contain all of them."""

import bisect
import collections
import re
from dataclasses import dataclass

import clang.cindex as clang

OPERATORS = {  # token: (mutated, name in mutant.hpp)
    "<": ("<=", "lt"), "<=": ("<", "le"), ">": (">=", "gt"), ">=": (">", "ge"),
    "==": ("!=", "eq"), "!=": ("==", "ne"), "+": ("-", "add"), "-": ("+", "sub"),
    "+=": ("-=", "add_to"), "-=": ("+=", "take_from"),
}
FUNCTIONS = {  # what is called: (what is called instead, how)
    "std::min": ("std::max", "weft::mutation::min(@, "), "std::max": ("std::min", "weft::mutation::max(@, "),
    "highest_class": ("lowest_class", None), "lowest_class": ("highest_class", None),
}
LOGICAL = {"&&": "||", "||": "&&"}
Kind = clang.CursorKind
# `!=` made of `==` is none of them in libclang 14, but unexposed.
OPERATIONS = {Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.CALL_EXPR, Kind.UNEXPOSED_EXPR}
CONSTANT = {Kind.STATIC_ASSERT, Kind.ENUM_CONSTANT_DECL}
BLOCKS = {Kind.COMPOUND_STMT, Kind.IF_STMT, Kind.FOR_STMT, Kind.CXX_FOR_RANGE_STMT, Kind.WHILE_STMT,
          Kind.CASE_STMT, Kind.DEFAULT_STMT}
Token = collections.namedtuple("Token", "spelling begin end")


@dataclass
class Mutant:
    file: str
    line: int
    before: str
    after: str
    edits: list  # (offset, rank, characters to replace, text with @ for the number)
    start: int = 0
    number: int = -1

    def text(self):
        return f"{self.before} -> {self.after}"


def around(extent, opening, closing, outer=0):
    """At one place, what is closed comes before what is opened, and the larger encloses the smaller."""
    width = extent[1] - extent[0] + outer
    return [(extent[0], (1, -width), 0, opening), (extent[1], (0, width), 0, closing)]


def is_one_call(text):
    """Whether its first parenthesis closes at its end: not `min(a, b).count()`, nor `min(a, b) - min(c, d)`."""
    depth = 0
    for i, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and character == ")":
            return i == len(text) - 1
    return False


def files_of(root, paths, arguments):
    """Sources that can be included in one unit, which is parsed once."""
    text = "".join(f'#include "{root / path}"\n' for path in paths)
    unit = clang.Index.create().parse("all.cpp", args=arguments, unsaved_files=[("all.cpp", text)])
    errors = [d for d in unit.diagnostics if d.severity >= clang.Diagnostic.Error]
    if errors:
        raise SystemExit(f"mutate: {errors[0]}")
    cursors = collections.defaultdict(list)
    for cursor in unit.cursor.get_children():
        if cursor.location.file:
            cursors[cursor.location.file.name].append(cursor)
    return [File(root, path, unit, cursors[str(root / path)]) for path in paths]


class File:
    """A source and what can be mutated in it."""

    def __init__(self, root, path, unit, cursors):
        self.path = path
        self.name = str(root / path)
        self.source = (root / path).read_bytes()
        extent = unit.get_extent(self.name, (0, len(self.source)))
        self.tokens = [Token(t.spelling, t.extent.start.offset, t.extent.end.offset)
                       for t in unit.get_tokens(extent=extent) if t.kind != clang.TokenKind.COMMENT]
        self.starts = [t.begin for t in self.tokens]
        self.found = {}
        for cursor in cursors:
            self.visit(cursor, None)

    def extent(self, cursor):
        begin, end = cursor.extent.start, cursor.extent.end
        if begin.file is None or begin.file.name != self.name or end.file.name != self.name:
            return None
        return begin.offset, end.offset

    def inside(self, extent):
        first = bisect.bisect_left(self.starts, extent[0])
        return self.tokens[first:bisect.bisect_left(self.starts, extent[1])]

    def code(self, begin, end):
        return self.source[begin:end].decode()

    def visit(self, cursor, parent):
        if cursor.kind in CONSTANT:
            return
        extent = self.extent(cursor)
        if extent and extent[0] < extent[1]:
            if cursor.kind in OPERATIONS:
                self.operation(cursor, extent)
            if cursor.kind == Kind.CALL_EXPR and parent is not None and parent.kind in BLOCKS:
                self.call(extent)
            if cursor.kind == Kind.CALL_EXPR:
                self.function(extent)
            if cursor.kind == Kind.INTEGER_LITERAL:
                self.literal(extent)
            if cursor.kind == Kind.IF_STMT:
                self.condition(extent)
        for child in cursor.get_children():
            self.visit(child, parent if cursor.kind == Kind.UNEXPOSED_EXPR else cursor)

    def operation(self, cursor, extent):
        """A binary operator: an operator token between two extents that are expressions."""
        tokens = self.inside(extent)
        if not any(t.spelling in OPERATORS or t.spelling in LOGICAL for t in tokens):
            return
        lefts, rights = set(), set()
        self.edges(cursor, extent, lefts, rights)
        for before, token, after in zip(tokens, tokens[1:], tokens[2:]):
            if token.spelling in OPERATORS or token.spelling in LOGICAL:
                if before.end in lefts and after.begin in rights:
                    self.operator(extent, token)
                    return

    def edges(self, cursor, extent, lefts, rights):
        """Where what is first in an extent ends, and where what is last begins."""
        for child in cursor.get_children():
            part = self.extent(child)
            if part is None or part[0] != extent[0] and part[1] != extent[1]:
                continue
            if part[0] == extent[0]:
                lefts.add(part[1])
            if part[1] == extent[1]:
                rights.add(part[0])
            self.edges(child, extent, lefts, rights)

    def operator(self, extent, token):
        is_, begin, end = token.spelling, token.begin, token.end
        if is_ in OPERATORS:
            other, name = OPERATORS[is_]
            opening, middle, closing = f"weft::mutation::{name}(@, ", ",", ")"
        else:  # by De Morgan's law, so that neither side is written twice
            other, on = LOGICAL[is_], ") != weft::mutation::is_on(@))"
            opening, middle, closing = "(((static_cast<bool>(", f"{on} {is_} (static_cast<bool>(", on + on
        edits = [*around(extent, opening, closing), (begin, (1, 0), end - begin, middle)]
        left, right = self.code(extent[0], begin), self.code(end, extent[1])
        self.add(begin, left + is_ + right, left + other + right, edits)

    def call(self, extent):
        if self.code(extent[1], extent[1] + 1) != ";":
            return
        edits = around(extent, "(weft::mutation::is_on(@) ? void() : void(", "))")
        self.add(extent[0], self.code(*extent) + ";", ";", edits)

    def function(self, extent):
        text = self.code(*extent)
        name, opened, _ = text.partition("(")
        if name not in FUNCTIONS or not opened or not is_one_call(text):
            return
        other, instead = FUNCTIONS[name]
        code = instead or f"(weft::mutation::is_on(@) ? &{other} : &{name})("
        edits = [(extent[0], (1, extent[0] - extent[1]), len(name) + 1, code)]
        self.add(extent[0], self.code(*extent), other + self.code(*extent)[len(name):], edits)

    def literal(self, extent):
        text = self.code(*extent)
        if re.fullmatch(r"[0-9']+[uUlL]*", text):
            before, after = self.line_around(extent)
            self.add(extent[0], before + text + after, before + text + " + 1" + after,
                     around(extent, "(", " + weft::mutation::is_on(@))"))

    def line_around(self, extent):
        """What stands before and behind in its line, without a comment: a number alone says nothing of what it is."""
        begin, end = self.source.rfind(b"\n", 0, extent[0]) + 1, self.source.find(b"\n", extent[1])
        return self.code(begin, extent[0]), re.sub(r"\s*//.*", "", self.code(extent[1], end))

    def condition(self, extent):
        tokens = self.inside(extent)
        if len(tokens) < 3 or tokens[1].spelling != "(":
            return  # if constexpr
        depth = 0
        for i, token in enumerate(tokens[1:], 1):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token.spelling, 0)
            if depth == 0:
                break
            if depth == 1 and token.spelling in (";", "="):
                return  # declares something
        inner = (tokens[2].begin, tokens[i].begin)
        text = self.code(*inner)
        edits = around(inner, "static_cast<bool>(", ") != weft::mutation::is_on(@)", outer=2)
        self.add(inner[0], f"if ({text})", f"if (!({text}))", edits)

    def add(self, at, before, after, edits):
        line = self.source.count(b"\n", 0, at) + 1
        before, after = (" ".join(text.split()) for text in (before, after))
        self.found.setdefault((at, after), Mutant(self.path, line, before, after, edits, at))

    def mutants(self):
        return sorted(self.found.values(), key=lambda m: (m.start, m.after))


def mutated(source, mutants):
    """The source with these mutants in it; lines keep their numbers."""
    edits = [(offset, rank, length, text.replace("@", str(m.number)))
             for m in mutants for offset, rank, length, text in m.edits]
    parts, at = [], 0
    for offset, _, length, text in sorted(edits):
        parts += [source[at:offset], text.encode()]
        at = offset + length
    return b"".join(parts + [source[at:]])
