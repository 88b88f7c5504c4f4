"""A namespace of its own for the whole run: only `lo`, only our processes, everything ended on exit."""
import os
import shutil
import signal
import subprocess
import sys

MARK = "E2E_SANDBOX"
NEEDED = ("unshare", "ip", "tmux")


def _unshare():
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *user, "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--"]


def require():
    """Ends the run with a plain message if this machine cannot isolate it."""
    missing = [tool for tool in NEEDED if not shutil.which(tool)]
    if missing:
        sys.exit(f"e2e: missing on PATH: {', '.join(missing)} (packages: util-linux, iproute2, tmux)")
    probe = subprocess.run([*_unshare(), "ip", "link", "set", "lo", "up"], capture_output=True, text=True)
    if probe.returncode:
        sys.exit("e2e: no network and process namespace to run in: "
                 f"{probe.stderr.strip()}\n     run as root, or allow unprivileged user namespaces")


def enter():
    """Runs the calling script again inside new network, process and mount namespaces."""
    if os.environ.get(MARK):
        return
    require()
    shell = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv]
    os.execvpe("unshare", [*_unshare(), *shell], dict(os.environ, **{MARK: "1"}))


def assert_isolated():
    """Nothing may reach a real API from here: refuse to go on with any interface but `lo`."""
    with open("/proc/net/dev") as f:
        links = sorted(line.split(":")[0].strip() for line in f if ":" in line)
    if links != ["lo"] or os.getpid() != 1:
        sys.exit(f"e2e: not isolated (interfaces {links}, process {os.getpid()}), refusing to run")


def processes():
    """Command lines of every other process in the sandbox, by process id."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as f:
                    words = f.read().split(b"\0")
            except OSError:
                continue
            if words != [b""]:  # a zombie has none
                found[int(entry)] = [w.decode(errors="replace") for w in words[:-1]]
    return found


def clear():
    """Ends whatever a scenario left running; this process is the init of the sandbox, so all of it is ours."""
    assert_isolated()
    for pid in processes():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
