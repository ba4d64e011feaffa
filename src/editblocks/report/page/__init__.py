"""The report page: a JSON result, which is made from the `OutcomeView`, as one HTML file that loads nothing.

`read` checks what comes from outside, `layout` says what is shown, `render` writes it. Every text is escaped by the
templates, which have no exception; only `lines` makes markup, piece by piece, from escaped text.
Page: docs/reference/output.md, "the report page".
"""
