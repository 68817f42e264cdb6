"""Search on many ranks: communicators, and the schemes by which ranks share what they find."""
