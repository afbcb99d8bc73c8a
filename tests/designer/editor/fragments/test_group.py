"""Members of a group in the form of its stage."""

from designer.editor.fragments.group import member_rows
from orchestration.definition import Group
from tests.designer.editor_requests import chain

GROUP = Group(
    agents=("agent-review", "agent-intake"),
    dependencies={"agent-intake": ("agent-review", "ghost"), "lost": ()},
)


def test_members_come_before_agents_that_only_dependencies_name():
    rows = member_rows(chain("intake", "review"), GROUP)
    assert [(row.key, row.name, row.is_member) for row in rows] == [
        ("agent-review", "Review", True),
        ("agent-intake", "Intake", True),
        ("lost", "lost", False),
    ]


def test_a_member_lists_the_other_members_and_its_dependencies():
    _, intake, _ = member_rows(chain("intake", "review"), GROUP)
    assert intake.waits == (
        ("agent-intake:agent-review", "Review", True),
        ("agent-intake:ghost", "ghost", True),
    )
    review, *_ = member_rows(chain("intake", "review"), GROUP)
    assert review.waits == (("agent-review:agent-intake", "Intake", False),)
