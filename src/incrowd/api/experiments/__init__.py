"""The experiments of the papers that incrowd stands on, done again."""

from incrowd.api.experiments._files import prepare
from incrowd.api.experiments._reproduce import CHOOSES, check_names, reproduce
from incrowd.api.experiments._result import Claim, Experiment, Reproduction

__all__ = ["CHOOSES", "Claim", "Experiment", "Reproduction", "check_names", "prepare", "reproduce"]
