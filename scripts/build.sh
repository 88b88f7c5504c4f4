#!/bin/sh
# build.sh [CARGO ARGUMENTS...]: builds the native library without a trace of this machine in it (panic messages name
# source files: those of the crates would carry the builder's home and the registry's host).
set -eu
cd "$(dirname "$0")/.."

cargo fetch --locked --quiet
flags="\"--remap-path-prefix=$PWD=claudecode.nvim\""
for registry in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
  [ -d "$registry" ] && flags="$flags,\"--remap-path-prefix=$registry=crates\""
done
exec cargo build --locked --config "target.'cfg(all())'.rustflags=[$flags]" "$@"
