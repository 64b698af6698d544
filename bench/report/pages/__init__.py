"""Markdown pages whose tables come from records: `fill` writes them."""
