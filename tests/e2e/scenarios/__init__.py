"""The scenarios by theme. A scenario is a function of a Stage; its docstring says what a user may rely on."""
import importlib

THEMES = ("cli", "diffs", "context", "selection", "modes", "lifecycle", "terminal", "review")


def load():
    """{theme: {name: function}} in the order of the files."""
    themes = {}
    for theme in THEMES:
        module = importlib.import_module(f"scenarios.{theme}")
        themes[theme] = {name: item for name, item in vars(module).items()
                         if callable(item) and getattr(item, "__module__", "") == module.__name__
                         and item.__doc__ and not name.startswith("_")}
    return themes
