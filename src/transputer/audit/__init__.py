"""The audit: the rules of the design as checks that anyone can run, and that can fail."""

from transputer.audit.evidence import Effort, Evidence
from transputer.audit.run import RULES, audit
from transputer.audit.verdict import Verdict

__all__ = ["RULES", "Effort", "Evidence", "Verdict", "audit"]
