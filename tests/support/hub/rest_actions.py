"""REST API: start a workflow."""

from support.hub.answers import Answer, ApiError, Call, not_found


def dispatch(call: Call) -> Answer:
    """https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event"""
    name, ref = call.params["workflow_id"], call.body["ref"]
    if name not in call.repository.workflows:
        raise not_found()
    if call.world.branch(ref, call.repository) is None:
        raise ApiError(422, f"No ref found for: {ref}")
    if not call.repository.workflows[name]:
        raise ApiError(422, "Workflow does not have 'workflow_dispatch' trigger")
    call.repository.dispatches.append((name, ref))
    return Answer(204, None)
