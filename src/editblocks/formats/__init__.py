"""The grammars of the formats, one module each; `parsing.parse.FORMATS` lists them in the order they are tried."""
