"""Which claude, Neovims and plugin to test: from the environment, else what the project brings into .cache/."""
import glob
import os
import platform
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _executable(name, variable):
    path = shutil.which(name)
    return os.path.abspath(path) if path else sys.exit(f"e2e: nothing to run at {name}; set {variable}")


def claude():
    arch = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    default = f"{ROOT}/.cache/claude/node_modules/@anthropic-ai/claude-code-linux-{arch}/claude"
    return _executable(os.environ.get("CLAUDE_BIN") or default, "CLAUDE_BIN")


def nvims(given=()):
    names = given or [name for name in os.environ.get("NVIM_BIN", "").split(os.pathsep) if name] \
        or sorted(glob.glob(f"{ROOT}/.cache/nvim/*/bin/nvim")) or ["nvim"]
    return [_executable(name, "NVIM_BIN") for name in names]


def version(nvim):
    output = subprocess.run([nvim, "--version"], check=True, capture_output=True, text=True).stdout
    return output.split("\n")[0].split()[-1]


def plugin():
    return os.path.abspath(os.environ.get("PLUGIN_DIR") or ROOT)
