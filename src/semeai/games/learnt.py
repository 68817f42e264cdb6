"""Settings of a player that name learnt files: ``DIGEST@FILE``, where the digest is of what is in the file."""

import re

OWN, NONE = "own", "none"
"""Words in place of a file: what comes with semeai, and nothing."""
_DIGEST = re.compile(r"[0-9a-f]{16}")


def split_setting(setting: str, name: str) -> tuple[str, str]:
    """Return digest and place of a setting. Raises ValueError if it is not a setting."""
    digest, _, place = setting.partition("@")
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"write {name}=FILE; the setting itself is a digest and a file, not {setting[:100]!r}")
    return digest, place


def checked_setting(setting: str, name: str, own: str) -> str:
    """Return the setting, with its place if it is that of semeai. Raises ValueError if it is not a setting."""
    if not setting:
        return setting
    digest, place = split_setting(setting, name)
    return own if own.startswith(digest) and not place else setting
