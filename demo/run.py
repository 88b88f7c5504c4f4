#!/usr/bin/env python3
"""The demo: Neovim on a copy of demo/sample with the plugin, and Claude (or a script that plays it) beside it.

    python3 demo/run.py            to try by hand
    python3 demo/run.py --auto     unattended: exit status 0 only if the edit was accepted and is on disk
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

REPO = pathlib.Path(__file__).resolve().parent.parent
OLDEST, BROUGHT = (0, 10), "0.11"


def neovim():
    """A Neovim that is new enough: the one on PATH, else one that the project's script brings."""
    found = shutil.which("nvim")
    if found:
        first_line = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.match(r"NVIM v(\d+)\.(\d+)", first_line)
        if version and tuple(map(int, version.groups())) >= OLDEST:
            return found
    print(f"no Neovim {OLDEST[0]}.{OLDEST[1]} or newer on PATH: bringing {BROUGHT} into .cache/nvim", flush=True)
    cache = REPO / ".cache" / "nvim"
    subprocess.run(["sh", str(REPO / "scripts" / "install-nvim.sh"), str(cache), BROUGHT], check=True)
    return str(cache / BROUGHT / "bin" / "nvim")


def environment(work, scripted):
    """For the demo's Neovim. A scripted Claude gets a home of its own, so that no real one takes part."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE_CODE_")}
    env["CLAUDECODE_DEMO_REPO"] = str(REPO)
    if scripted:
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            env[f"XDG_{kind}_HOME"] = str(work / kind.lower())
        env["CLAUDE_CONFIG_DIR"] = str(work / "claude")
        env["CLAUDECODE_DEMO_LOG"] = str(work / "conversation.log")
        env["CLAUDECODE_DEMO_CLAUDE"] = json.dumps([sys.executable, str(REPO / "demo" / "claude.py")])
    return env


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auto", action="store_true")
    options = parser.parse_args()
    nvim, scripted = neovim(), options.auto or not shutil.which("claude")
    with tempfile.TemporaryDirectory(prefix="claudecode-demo-") as folder:
        work = pathlib.Path(folder).resolve()
        project = work / "sample"
        shutil.copytree(REPO / "demo" / "sample", project)
        command = [nvim, "--clean", "-u", str(REPO / "demo" / "init.lua"), "+/def total", "cart.py"]
        env = environment(work, scripted)
        if options.auto:
            import auto
            return auto.play(command, project, work, env)
        return subprocess.run(command, cwd=project, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
