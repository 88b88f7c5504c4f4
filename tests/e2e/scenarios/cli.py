"""The CLI against the logging server, with no plugin: what the plugin relies on still holds, and the harness works."""
from ide_server import IdeServer, text
from stage import NEW, OLD


def _server(stage):
    server = IdeServer(stage.run + "/ide.jsonl")
    server.write_lock(stage.ide_dir, [stage.project])
    return server


def cli_takes_selection_and_mention(stage):
    """Soon after its first tools/list reply the CLI shows a selection and inserts a mention."""
    server = _server(stage)
    cli = stage.cli(port=server.port)
    stage.check(server.wait_ready(), "the CLI has the tools")
    stage.check(not server.received("resources/list"), "the CLI asks for nothing that was not advertised")
    selection = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 4}, "isEmpty": False}
    server.notify("selection_changed", {"text": "alpha\nbeta", "filePath": stage.path, "selection": selection})
    stage.shows(cli, "2 lines selected")
    server.notify("at_mentioned", {"filePath": stage.path, "lineStart": 1, "lineEnd": 2})
    stage.shows(cli, "@a.txt#L2-3")


def cli_order_of_an_edit(stage):
    """FILE_SAVED, close_tab twice with the old file on disk, getDiagnostics {uri}, the write, getDiagnostics {}."""
    server = _server(stage)
    seen = []
    server.tools["openDiff"] = lambda args: text("FILE_SAVED", args["new_file_contents"])
    server.tools["close_tab"] = lambda args: seen.append(stage.disk()) or text("TAB_CLOSED")
    server.tools["getDiagnostics"] = lambda args: seen.append(stage.disk()) or text("[]")
    cli = stage.cli(port=server.port)
    stage.check(server.wait_ready(), "the CLI is connected")
    cli.prompt("RUN:edit")
    stage.shows(cli, "FINISHED-EDIT")
    calls = server.calls()
    names = [name for name, _ in calls if name != "closeAllDiffTabs"]
    stage.check(names == ["openDiff", "close_tab", "close_tab", "getDiagnostics", "getDiagnostics"], f"order: {names}")
    stage.check(seen == [OLD, OLD, OLD, NEW], "the file is written between the two getDiagnostics")
    stage.check([bool(args) for name, args in calls if name == "getDiagnostics"] == [True, False],
                "the first getDiagnostics names the file, the second nothing")
    stage.check(calls[0] == ("closeAllDiffTabs", {}), "a prompt starts with closeAllDiffTabs")


def cli_default_mode_opens_no_diff(stage):
    """In the CLI's own default mode an edit is written without openDiff; only getDiagnostics announces it."""
    server = _server(stage)
    cli = stage.cli(args=(), port=server.port)
    stage.check(server.wait_ready(), "the CLI is connected")
    cli.prompt("RUN:edit")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the file is written")
    names = [name for name, _ in server.calls()]
    stage.check(names == ["closeAllDiffTabs", "getDiagnostics", "getDiagnostics"], f"calls: {names}")
