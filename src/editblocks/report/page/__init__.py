"""Write a JSON result as the report page: one HTML file that loads nothing.

`render` checks a result from outside, decides what is shown, and writes it. The templates escape every text. Only
`lines` makes markup itself, from pieces of text that it has escaped.
Page: docs/reference/output.md, "the report page".
"""
