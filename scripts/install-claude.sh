#!/bin/sh
# install-claude.sh PREFIX VERSION: puts the Claude Code CLI, a peer of the end-to-end tests only, into PREFIX (npm).
set -eu
[ $# -eq 2 ] || { echo "usage: $0 PREFIX VERSION" >&2; exit 2; }
PREFIX=$1 VERSION=$2

installed=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$PREFIX/node_modules/@anthropic-ai/claude-code/package.json" 2>/dev/null || :)
[ "$installed" = "$VERSION" ] && exit 0
mkdir -p "$PREFIX"
npm install --silent --no-audit --no-fund --no-save --no-package-lock --prefix "$PREFIX" "@anthropic-ai/claude-code@$VERSION"
