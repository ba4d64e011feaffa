"""`suggestion`: a fence in a review comment, whose text replaces the lines that the comment is about.

    ```suggestion, new lines, ```

The thread says which lines, so there is nothing to search for. `parsing/fences.py` reads it.
"""

from editblocks.formats.grammar import Unmarked

SUGGESTION = Unmarked(names=("suggestion",))
