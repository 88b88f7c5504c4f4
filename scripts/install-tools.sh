#!/bin/sh
# install-tools.sh PREFIX [lua|stylua|emmylua]...      default: all three
#
# Puts the tools that check this project into PREFIX. Needs no root and writes only below PREFIX.
#   lua      busted and luacheck with the modules they need: Debian packages unpacked into PREFIX/lua, run by `nvim -l`
#   stylua   the formatter, from npm, into PREFIX/node (versions and hashes: scripts/npm/package-lock.json)
#   emmylua  the type checker emmylua_check, built by cargo into PREFIX/bin
# Done already: does nothing.
set -eu
. "$(dirname "$0")/debian.sh"

SUITE=trixie
LUA_PACKAGES="lua-busted lua-cliargs lua-dkjson lua-filesystem lua-luassert lua-mediator lua-penlight lua-say
  lua-system lua-term lua-check lua-argparse"
EMMYLUA=0.25.1

[ $# -ge 1 ] || { echo "usage: $0 PREFIX [lua|stylua|emmylua]..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"; PREFIX=$(cd "$1" && pwd); shift

install_lua() {
  [ -f "$PREFIX/lua/busted/core.lua" ] && [ -f "$PREFIX/lua/luacheck/main.lua" ] && return
  st=$PREFIX/.apt root=$PREFIX/.apt/root new=$PREFIX/lua.new
  apt_suite "$st" "$SUITE"
  # shellcheck disable=SC2086  # one word per package
  unpack "$st" "$root" $LUA_PACKAGES
  rm -rf "$new"; mkdir -p "$new"
  cp -rL "$root"/usr/share/lua/5.1/. "$new"
  cp -rL "$root"/usr/lib/*/lua/5.1/. "$new"
  rm -rf "$PREFIX/lua"; mv "$new" "$PREFIX/lua"
  rm -rf "$st"
}

install_stylua() {
  [ -x "$PREFIX/node/node_modules/.bin/stylua" ] && return
  mkdir -p "$PREFIX/node"
  cp "$here/npm/package.json" "$here/npm/package-lock.json" "$PREFIX/node"
  npm ci --silent --no-audit --no-fund --prefix "$PREFIX/node"
}

install_emmylua() {
  "$PREFIX/bin/emmylua_check" --version 2>/dev/null | grep -q " $EMMYLUA\$" && return
  # Optimised only lightly: it runs for seconds, and the full build takes minutes longer.
  CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_DEBUG=0 nice -n 19 cargo install --quiet --locked --jobs "${EMMYLUA_JOBS:-2}" \
    --root "$PREFIX" --target-dir "$PREFIX/emmylua-target" "emmylua_check@$EMMYLUA"
  rm -rf "$PREFIX/emmylua-target"
}

[ $# -gt 0 ] || set -- lua stylua emmylua
for tool; do
  case $tool in lua|stylua|emmylua) "install_$tool";; *) echo "unknown tool: $tool" >&2; exit 2;; esac
done
