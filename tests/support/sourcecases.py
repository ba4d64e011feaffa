"""Write comments, review threads and answers in them."""

from support.hub.model import Comment, ReviewComment
from support.talkkit import Talk


def thread(t: Talk, path: str = "app.py", body: str = "why?", author: str = "hubot") -> ReviewComment:
    t.h.review(t.pull, author, "", [(path, 1, body)])
    return t.pull.review_comments[-1]


def comment(t: Talk, author: str, body: str) -> Comment:
    return t.h.world.say(t.pull, author, body)


def answer(t: Talk, author: str, body: str) -> ReviewComment:
    return t.h.world.reply(t.pull, author, body, thread(t))
