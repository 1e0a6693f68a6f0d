"""The audit: the rules of the design as checks that anyone can run, and that can fail."""

from transputer.check.audit.evidence import Effort, Evidence
from transputer.check.audit.run import RULES, audit
from transputer.check.audit.verdict import Verdict

__all__ = ["RULES", "Effort", "Evidence", "Verdict", "audit"]
