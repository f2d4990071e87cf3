"""Which SQL in string literals of Swift only SQLite understands.

A literal is read without the code of its interpolations; only literals that look like SQL count. What both engines
understand differently or what only one of them has goes through `SQL`, or is written the other way named here.
"""

import re

from swiftcode import literals_of

SQL = re.compile(
    r"\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|AND|SET|VALUES|CREATE|PRAGMA|VACUUM|ATTACH|ORDER BY|INDEXED|JOIN)\b|"
    r"\b(?:ifnull|iif|instr|json_each|group_concat|coalesce)\("
)
FLAG = r"(?:\w+\.)?\b(?:is|has)_\w+\b(?!\s*(?:=|<>|,|IN\b|\)|FROM\b|\())"
ONLY_SQLITE = [
    (re.compile(pattern), name, instead)
    for pattern, name, instead in [
        (r"\bjson_each\b", "json_each", "SQL.each or SQL.isAmong"),
        (r"\bIS (?:NOT )?\?", "IS with an argument", "IS [NOT] DISTINCT FROM"),
        (r"\b(?:max|min)\((?:[^(),]|\([^()]*\))+,", "max or min of several", "SQL.greatest or SQL.least"),
        (r"\bINDEXED BY\b", "INDEXED BY", "SQL.table(using:)"),
        (r"\bNOT INDEXED\b", "NOT INDEXED", "SQL.scan"),
        (r"\bCROSS JOIN\b", "CROSS JOIN", "SQL.thenJoin"),
        (r"\bOR IGNORE\b", "OR IGNORE", "ON CONFLICT DO NOTHING"),
        (r"\bOR REPLACE\b", "OR REPLACE", "ON CONFLICT DO UPDATE"),
        (r"\bsqlite_\w+", "a table of SQLite's own", "a function of the engine"),
        (r"\blast_insert_rowid\b", "last_insert_rowid", "RETURNING id"),
        (r"\browid\b", "rowid", "the table's key"),
        (r"\bifnull\(", "ifnull", "coalesce"),
        (r"\biif\(", "iif", "CASE WHEN"),
        (r"\binstr\(", "instr", "SQL.contains"),
        (r"\bgroup_concat\(", "group_concat", "SQL.lines"),
        (r"\bAS BLOB\b", "a cast to BLOB", "SQL.bytes"),
        (r"\bchar\(", "char", "a line end in the text"),
        (r"\bsubstr\([^(),]+, -", "substr from the end", "SQL.suffix"),
        (r"\bPRAGMA\b", "PRAGMA", "a function of the engine"),
        (r"\bMATCH\b", "MATCH", "WordIndex"),
        (r"\bGLOB\b", "GLOB", "LIKE"),
        (r"\bWITHOUT ROWID\b|\bAUTOINCREMENT\b|\bSTRICT\b", "a definition of SQLite's", "a file of the schema"),
        (r"\bWHERE [01]\b(?! *=)", "a number as a condition", "true or false"),
        (r"\bLIMIT -1\b", "LIMIT -1", "no LIMIT"),
        (rf"(?:\b(?:WHERE|AND|OR|NOT)\s+){FLAG}", "an integer as a condition", "a comparison with 1 or 0"),
        (
            r"(?:\b(?:WHEN|OR|NOT|WHERE)\s+|\bAND \()\?\d*(?=\s+(?:THEN|AND|OR)\b|\))",
            "an argument as a condition",
            "a comparison with 1 or 0",
        ),
    ]
]


def only_sqlite(text):
    """Each place in a file of Swift: its line, what is SQLite's alone there, and what to write instead."""
    for line, literal in literals_of(text):
        if SQL.search(literal):
            found = [(at.start(), *rest) for pattern, *rest in ONLY_SQLITE for at in pattern.finditer(literal)]
            for start, name, instead in sorted(found):
                yield line + literal.count("\n", 0, start), name, instead
