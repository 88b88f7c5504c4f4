-- What clients are told of the tools. `make doc` writes this file from the tools themselves.
-- stylua: ignore
return { {
    aliases = {},
    description = "Open a file in the user's editor, and optionally select a range of lines or of text in it.",
    inputSchema = {
      properties = {
        endLine = {
          description = "Last line to select, from 1.",
          type = "integer"
        },
        endText = {
          description = "Plain text at which the selection ends.",
          type = "string"
        },
        filePath = {
          description = "Path of the file; a relative one starts at the editor's cwd.",
          type = "string"
        },
        makeFrontmost = {
          description = "Show the file and move the focus there (the default); false loads it in the background.",
          type = "boolean"
        },
        preview = {
          description = "Ignored: this editor has no preview tabs.",
          type = "boolean"
        },
        selectToEndOfLine = {
          description = "Extend the selection to the end of its last line.",
          type = "boolean"
        },
        startLine = {
          description = "First line to select, from 1. Alone: the line to go to.",
          type = "integer"
        },
        startText = {
          description = "Plain text at which the selection starts; may span lines.",
          type = "string"
        }
      },
      required = { "filePath" },
      type = "object"
    },
    name = "openFile"
  }, {
    aliases = {},
    description = "Show proposed contents of a file as a diff and wait until the user accepts or rejects it.",
    inputSchema = {
      properties = {
        new_file_contents = {
          description = "The whole proposed contents",
          type = "string"
        },
        new_file_path = {
          description = "The file that the proposal is for",
          type = "string"
        },
        old_file_path = {
          description = "The file to compare with",
          type = "string"
        },
        tab_name = {
          description = "Name of this diff, for close_tab",
          type = "string"
        }
      },
      required = { "old_file_path", "new_file_path", "new_file_contents", "tab_name" },
      type = "object"
    },
    name = "openDiff"
  }, {
    aliases = {},
    description = "Get the text that the user has selected in the editor, or the cursor position.",
    inputSchema = {
      properties = vim.empty_dict(),
      type = "object"
    },
    name = "getCurrentSelection"
  }, {
    aliases = {},
    description = "Get the text that the user selected last, even if another window has the focus now.",
    inputSchema = {
      properties = vim.empty_dict(),
      type = "object"
    },
    name = "getLatestSelection"
  }, {
    aliases = {},
    description = "List the files that are open in the editor, with the one that the user edits marked as active.",
    inputSchema = {
      properties = vim.empty_dict(),
      type = "object"
    },
    name = "getOpenEditors"
  }, {
    aliases = {},
    description = "Get the folders that are open in the editor.",
    inputSchema = {
      properties = vim.empty_dict(),
      type = "object"
    },
    name = "getWorkspaceFolders"
  }, {
    aliases = {},
    description = "Get the diagnostics (errors, warnings) of the language servers, for one file or for all open files.",
    inputSchema = {
      properties = {
        uri = {
          description = "URI or path of the file. Without it: all files that are open.",
          type = "string"
        }
      },
      type = "object"
    },
    name = "getDiagnostics"
  }, {
    aliases = {},
    description = "Check whether a file that is open in the editor has unsaved changes.",
    inputSchema = {
      properties = {
        filePath = {
          description = "Path of the file.",
          type = "string"
        }
      },
      required = { "filePath" },
      type = "object"
    },
    name = "checkDocumentDirty"
  }, {
    aliases = {},
    description = "Save a file that is open in the editor with unsaved changes.",
    inputSchema = {
      properties = {
        filePath = {
          description = "Path of the file.",
          type = "string"
        }
      },
      required = { "filePath" },
      type = "object"
    },
    name = "saveDocument"
  }, {
    aliases = { "closeTab" },
    description = "Close the diff that openDiff opened under this name.",
    inputSchema = {
      properties = {
        tab_name = {
          description = "The tab_name that was given to openDiff",
          type = "string"
        }
      },
      required = { "tab_name" },
      type = "object"
    },
    name = "close_tab"
  }, {
    aliases = {},
    description = "Close the diffs that this client opened.",
    inputSchema = {
      properties = vim.empty_dict(),
      type = "object"
    },
    name = "closeAllDiffTabs"
  } }
