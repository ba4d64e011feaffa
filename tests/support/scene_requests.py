"""The requests that the action sends to GitHub in each scene of `scenes.py`, by name and in order."""

SEE = "POST issues/comments/{comment_id}/reactions"

UNSEE = "DELETE issues/comments/{comment_id}/reactions/{reaction_id}"

CONTEXT, OBJECTS, LIVE = "query Context", "query Objects", "query Live"

ROLE = "GET collaborators/{username}/permission"

TREE, COMMIT, MOVE = "POST git/trees", "POST git/commits", "mutation updateRefs"

CREATE, EDIT = "POST pulls/{pull_number}/reviews", "PUT pulls/{pull_number}/reviews/{review_id}"

REPLY, REACT = "POST pulls/{pull_number}/comments/{comment_id}/replies", "POST pulls/comments/{comment_id}/reactions"

SOURCE = "GET issues/comments/{comment_id}"

COMPARE = "GET compare/{basehead}"

FILES = "GET pulls/{pull_number}/files"

ANSWERS, ANSWER = "GET issues/{issue_number}/comments", "POST issues/{issue_number}/comments"

ANSWERS_THERE = "GET pulls/{pull_number}/comments"

SUGGESTIONS, RESOLVE = "query Suggestions", "mutation resolveReviewThread"

PUBLISHED = (TREE, COMMIT, MOVE)

APPLIED = (OBJECTS, ROLE, LIVE, *PUBLISHED)

REQUESTS: dict[str, tuple[str, ...]] = {
    "comment": (CONTEXT, SEE, *APPLIED, CREATE, SEE, UNSEE),
    "apply": (CONTEXT, ROLE, SOURCE, SEE, OBJECTS, LIVE, *PUBLISHED, EDIT, SEE, UNSEE),
    "undo": (CONTEXT, ROLE, ANSWERS, SOURCE, SEE, COMPARE, OBJECTS, OBJECTS, LIVE, *PUBLISHED, LIVE, OBJECTS,
             EDIT, SEE, UNSEE),
    "skip": (CONTEXT, ROLE, SOURCE, SEE, OBJECTS, LIVE, EDIT),
    "retry": (CONTEXT, ROLE, SOURCE, SEE, OBJECTS, LIVE, EDIT),
    "review": (CONTEXT, *APPLIED, CREATE),
    "review that fails": (CONTEXT, OBJECTS, LIVE, FILES, CREATE, REPLY),
    "suggestions": (CONTEXT, ROLE, SUGGESTIONS, SEE, OBJECTS, LIVE, SUGGESTIONS, *PUBLISHED, CREATE, SEE, UNSEE,
                    RESOLVE),
    "reply": (CONTEXT, *APPLIED, REPLY, REACT),
    "block that fails": (CONTEXT, SEE, OBJECTS, LIVE, FILES, CREATE, SEE, UNSEE),
    "help": (CONTEXT, ROLE, ANSWERS, ANSWER),
    "help in a thread": (CONTEXT, ROLE, ANSWERS_THERE, REPLY),
    "undo with a conflict": (CONTEXT, ROLE, ANSWERS, SOURCE, SEE, COMPARE, COMPARE, COMPARE, OBJECTS, OBJECTS,
                             OBJECTS, ANSWERS, ANSWER, SEE, UNSEE),
    "stranger": (CONTEXT, ROLE, LIVE, EDIT, SEE),
    "edited source": (CONTEXT, ROLE, SOURCE, SEE, ANSWERS, ANSWER, OBJECTS, LIVE, EDIT, SEE, UNSEE),
    "started by hand": (SOURCE, CONTEXT, SEE, *APPLIED, CREATE, SEE, UNSEE),
}  # fmt: skip
