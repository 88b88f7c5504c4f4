//! Where a selection starts and ends, from facts that the editor states: pure, and no editor in it.
//!
//! Lines are 0-based, columns are 0-based byte offsets, an end is exclusive. The rules are those of the published
//! `selection_changed` notification: where a character ends and which virtual columns it covers is a fact, what of it
//! is selected is decided here. The peer counts `end.line - start.line + 1` lines and one less when the end is at
//! column 0, so a span that takes a line break ends at column 0 of the next line, and one that ends on an empty line
//! without its line break ends at column 1 of that line.

use serde::Deserialize;

/// The three kinds of Visual mode. Select mode counts as the Visual mode of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `v`
    Char,
    /// `V`
    Line,
    /// `CTRL-V`
    Block,
}

/// The option 'selection'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bounds {
    /// The character under the end belongs to the selection; the end can lie past the line.
    Inclusive,
    /// The character under the end does not belong to it.
    Exclusive,
    /// As inclusive, but never past the line.
    Old,
}

/// One end of the Visual area, with what the editor says about the place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Corner {
    /// The line, 0-based.
    pub line: usize,
    /// First byte of the character the corner is on; the line's length when it is past the last character.
    pub byte: usize,
    /// Columns further right than `byte`: in a TAB or past the line, with 'virtualedit'.
    #[serde(default)]
    pub offset: usize,
    /// Length of the line in bytes.
    pub length: usize,
    /// Bytes of the character at `byte`; 0 past the last one.
    #[serde(default)]
    pub char: usize,
    /// Bytes from `byte` to the end of a character that begins before it: a cursor can stand inside one.
    #[serde(default)]
    pub rest: usize,
}

impl Corner {
    fn start(&self) -> usize {
        self.byte.min(self.length)
    }

    /// After the character before this place.
    fn after_previous(&self) -> usize {
        (self.byte + self.rest).min(self.length)
    }

    /// After the character here; the line's length past the last one.
    fn after(&self) -> usize {
        (self.byte + self.char).min(self.length)
    }
}

/// What a blockwise selection needs besides its corners. Columns are those of the screen; the bytes say where in its
/// row a column is, which only the editor knows. They are the row's length where the row is shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Block {
    /// `$` was used: every row reaches its end.
    pub to_end: bool,
    /// First and last column of the first corner.
    pub first: [usize; 2],
    /// First and last column of the last corner.
    pub last: [usize; 2],
    /// In the first row: the first byte at the leftmost column of both corners.
    pub start: usize,
    /// In the last row: the first byte right of the first corner's columns.
    pub after_first: usize,
    /// In the last row: the first byte not left of the last corner's columns.
    pub before_last: usize,
    /// In the last row: the first byte right of the last corner's columns.
    pub after_last: usize,
}

/// A Visual selection as the editor knows it. `first` is not after `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Facts {
    /// Kind of Visual mode.
    pub kind: Kind,
    /// The option 'selection'.
    pub bounds: Bounds,
    /// Whether 'virtualedit' contains all.
    #[serde(default)]
    pub virtual_all: bool,
    /// Lines in the buffer.
    pub lines: usize,
    /// The earlier end.
    pub first: Corner,
    /// The later end.
    pub last: Corner,
    /// Only for a blockwise selection.
    #[serde(default)]
    pub block: Block,
}

/// A place as the peer is told: 0-based line, 0-based byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The byte offset into it; 1 on an empty line that a selection ends on.
    pub character: usize,
}

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First selected byte.
    pub start: Position,
    /// After the last selected byte.
    pub end: Position,
    /// Where the text ends in the line `end.line`: as `end`, but 0 on an empty line.
    pub text_end: usize,
}

/// The span of a Visual selection.
#[must_use]
pub fn span(facts: &Facts) -> Span {
    let (start, end) = match facts.kind {
        Kind::Char => (facts.first.start(), charwise_end(facts)),
        Kind::Line => (0, linewise_end(facts)),
        Kind::Block => (facts.block.start, block_end(facts)),
    };
    let last = facts.last.line;
    let (line, character, text_end) = match end {
        End::At(byte) => (last, byte, byte),
        End::NextLine => (last + 1, 0, 0),
        End::EmptyLine => (last, 1, 0),
    };
    Span { start: Position { line: facts.first.line, character: start }, end: Position { line, character }, text_end }
}

enum End {
    /// At this byte of the last line.
    At(usize),
    /// The line break belongs to the selection.
    NextLine,
    /// On an empty line, without its line break.
    EmptyLine,
}

fn charwise_end(facts: &Facts) -> End {
    let Facts { first, last, .. } = facts;
    let one_position = (first.line, first.byte, first.offset) == (last.line, last.byte, last.offset);
    let drops_last = facts.bounds == Bounds::Exclusive && !one_position;
    if drops_last && last.offset == 0 {
        // Column 0 belongs to the line before: its line break is the last selected character.
        return End::At(last.after_previous());
    }
    if last.byte < last.length {
        // Also with 'exclusive': an offset means that a column of this character is selected, which counts whole.
        return End::At(last.after());
    }
    let takes_break = facts.bounds != Bounds::Old && !drops_last && !facts.virtual_all;
    let only_virtual = facts.virtual_all && first.line == last.line && first.offset > 0;
    match (takes_break && last.line + 1 < facts.lines, last.length) {
        (true, _) => End::NextLine,
        (false, 0) if !only_virtual => End::EmptyLine,
        (false, length) => End::At(length),
    }
}

fn linewise_end(facts: &Facts) -> End {
    match facts.last.length {
        0 if facts.last.line + 1 < facts.lines => End::NextLine,
        0 => End::EmptyLine,
        length => End::At(length),
    }
}

/// The right column of the block in its last row.
fn block_end(facts: &Facts) -> End {
    let Facts { bounds, last, block, .. } = facts;
    if last.length == 0 {
        return End::EmptyLine;
    }
    // Only a later corner wholly right of the earlier one loses its column to 'exclusive'.
    let drops_last = *bounds == Bounds::Exclusive && block.last[0] > block.first[1];
    End::At(if block.to_end {
        last.length
    } else if drops_last {
        block.before_last
    } else {
        block.after_first.max(block.after_last)
    })
}
