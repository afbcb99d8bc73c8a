"""Versions of a pipeline and their release, and the view of the difference of two definitions."""

from designer.versions.compared_files import store_file
from designer.versions.comparison_context import difference_context
from designer.versions.drawing import DrawnDifference, picture, picture_file
from designer.versions.errors import (
    DraftHasErrorsError,
    PromotedMeanwhileError,
    UnknownPointError,
    UnknownVersionError,
    VersionError,
)
from designer.versions.history import draft_at, point_at
from designer.versions.publishing import promote, publish, roll_back, save_version
from designer.versions.restoration import restore_point, restore_version
from designer.versions.selection import (
    DRAFT,
    SelectedDefinition,
    find_version,
    select_definition,
)
from designer.versions.sides import (
    ComparisonSide,
    SideError,
    address_of_others_edit,
    find_side,
)
from designer.versions.state import DraftState, draft_state, live_version

__all__ = [
    "DRAFT",
    "ComparisonSide",
    "DraftHasErrorsError",
    "DraftState",
    "DrawnDifference",
    "PromotedMeanwhileError",
    "SelectedDefinition",
    "SideError",
    "UnknownPointError",
    "UnknownVersionError",
    "VersionError",
    "address_of_others_edit",
    "difference_context",
    "draft_at",
    "draft_state",
    "find_side",
    "find_version",
    "live_version",
    "picture",
    "picture_file",
    "point_at",
    "promote",
    "publish",
    "restore_point",
    "restore_version",
    "roll_back",
    "save_version",
    "select_definition",
    "store_file",
]
