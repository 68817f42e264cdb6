"""The dialects by game; none of them loads the compiler before a command needs it."""

from semeai.gtp.go import GoDialect
from semeai.gtp.havannah import HavannahDialect
from semeai.gtp.session import Dialect

DIALECTS: dict[str, type[Dialect]] = {dialect.name: dialect for dialect in (GoDialect, HavannahDialect)}
