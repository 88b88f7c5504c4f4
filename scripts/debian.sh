# Debian packages without root and without touching the system's own apt: functions for the install scripts.
# The state of apt is a private folder STATE; the mirror and its key are those of the system's own sources.

system_uri() {  # the first http(s) URI of the system's own Debian sources
  for f in /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list; do
    [ -r "$f" ] || continue
    sed -n -e 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' \
           -e 's/^deb[[:space:]]\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*\).*/\2/p' "$f"
  done | grep '/debian/*$' | head -n 1
}

apt_private() {  # apt_private STATE CMD ARGS...: apt-get on private state only
  st=$1; shift
  cmd=$1; shift
  apt-get -qq -o Dir::State="$st/state" -o Dir::State::status="$st/status" \
    -o Dir::Cache="$st/cache" -o Dir::Etc::sourcelist="$st/suite.sources" \
    -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o APT::Sandbox::User= -o APT::Install-Recommends=false \
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
    -o Acquire::IndexTargets::deb::CNF::DefaultEnabled=false \
    -o Acquire::Retries=3 -o Debug::NoLocking=1 "$cmd" "$@"
}

apt_suite() {  # apt_suite STATE SUITE: makes STATE and fetches the package list of SUITE
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || {
    echo "this needs Debian's apt-get and dpkg; elsewhere install the tool yourself and put it on PATH" >&2; exit 1; }
  uri=$(system_uri); [ -n "$uri" ] || { echo "no Debian URI in the system's apt sources" >&2; exit 1; }
  key=$(sed -n 's/^Signed-By:[[:space:]]*//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
  mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
  : > "$1/status"  # nothing counts as installed
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
    "$uri" "$2" "${key:-/usr/share/keyrings/debian-archive-keyring.gpg}" > "$1/suite.sources"
  apt_private "$1" update
}

unpack() {  # unpack STATE ROOT PACKAGE[=VERSION]...: downloads exactly these and unpacks them below ROOT
  debs=$1/debs state=$1 root=$2; shift 2
  rm -rf "$debs"; mkdir -p "$debs"
  (cd "$debs" && apt_private "$state" download "$@")
  for deb in "$debs"/*.deb; do dpkg -x "$deb" "$root"; done
}
