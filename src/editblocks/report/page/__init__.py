"""Write a JSON result as the report page: one HTML file that loads nothing.

`read` checks a result from outside, `layout` decides what is shown, `render` writes it. The templates escape every
text. Only `lines` makes markup itself, from pieces of text that it has escaped.
Page: docs/reference/output.md, "the report page".
"""
