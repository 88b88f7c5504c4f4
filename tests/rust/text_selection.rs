//! Spans of Visual selections, from facts alone: every rule of src/text/selection.rs with literal values.

use claudecode_native::text::selection::{Block, Bounds, Corner, Facts, Kind, span};

/// A buffer of lines in which every character is one byte wide, but for the last corner's.
struct Buffer(&'static [&'static str]);

impl Buffer {
    fn corner(&self, (line, byte): (usize, usize)) -> Corner {
        let length = self.0[line].len();
        Corner { line, byte, offset: 0, length, char: usize::from(byte < length), rest: 0 }
    }

    fn facts(&self, kind: Kind, first: (usize, usize), last: (usize, usize)) -> Facts {
        Facts {
            kind,
            bounds: Bounds::Inclusive,
            virtual_all: false,
            lines: self.0.len(),
            first: self.corner(first),
            last: self.corner(last),
            block: self.block(first, last),
        }
    }

    fn block(&self, first: (usize, usize), last: (usize, usize)) -> Block {
        let in_row = |row: usize, byte: usize| byte.min(self.0[row].len());
        Block {
            to_end: false,
            first: [first.1 + 1; 2],
            last: [last.1 + 1; 2],
            start: in_row(first.0, first.1.min(last.1)),
            after_first: in_row(last.0, first.1 + 1),
            before_last: in_row(last.0, last.1),
            after_last: in_row(last.0, last.1 + 1),
        }
    }
}

const BUFFER: Buffer = Buffer(&["abcdef", "foo", "", "bar"]);
const EMPTY_END: Buffer = Buffer(&["foo", ""]);

fn of(facts: &Facts) -> String {
    let span = span(facts);
    format!("{}:{}-{}:{} {}", span.start.line, span.start.character, span.end.line, span.end.character, span.text_end)
}

#[test]
fn characterwise() {
    let char = |first, last| BUFFER.facts(Kind::Char, first, last);
    assert_eq!(of(&char((0, 1), (0, 3))), "0:1-0:4 4");
    assert_eq!(of(&char((0, 1), (3, 1))), "0:1-3:2 2");
    assert_eq!(of(&char((1, 0), (1, 3))), "1:0-2:0 0", "past the end: the line break");
    assert_eq!(of(&char((2, 0), (2, 0))), "2:0-3:0 0", "an empty line: its line break");
    assert_eq!(of(&char((3, 0), (3, 3))), "3:0-3:3 3", "the last line has none to give");
    assert_eq!(of(&EMPTY_END.facts(Kind::Char, (0, 0), (1, 0))), "0:0-1:1 0");
    assert_eq!(of(&EMPTY_END.facts(Kind::Char, (0, 3), (1, 0))), "0:3-1:1 0");
}

#[test]
fn a_character_ends_where_the_editor_says() {
    let mut facts = BUFFER.facts(Kind::Char, (0, 0), (0, 1));
    facts.last.char = 4;
    assert_eq!(of(&facts), "0:0-0:5 5");
}

#[test]
fn linewise() {
    let line = |first, last| BUFFER.facts(Kind::Line, first, last);
    assert_eq!(of(&line((0, 3), (1, 1))), "0:0-1:3 3");
    assert_eq!(of(&line((1, 1), (2, 0))), "1:0-3:0 0");
    assert_eq!(of(&line((2, 0), (2, 0))), "2:0-3:0 0");
    assert_eq!(of(&EMPTY_END.facts(Kind::Line, (0, 0), (1, 0))), "0:0-1:1 0");
}

#[test]
fn blockwise() {
    let block = |first, last| BUFFER.facts(Kind::Block, first, last);
    assert_eq!(of(&block((0, 1), (1, 2))), "0:1-1:3 3");
    assert_eq!(of(&block((0, 4), (1, 1))), "0:1-1:3 3", "the last row is shorter than the block");
    assert_eq!(of(&block((1, 3), (3, 0))), "1:0-3:3 3", "the corner is past the end");
    assert_eq!(of(&block((0, 0), (2, 0))), "0:0-2:1 0", "the last row is empty");
    let mut facts = block((0, 1), (1, 1));
    facts.block.to_end = true;
    assert_eq!(of(&facts), "0:1-1:3 3");
    assert_eq!(of(&Facts { block: Block { to_end: true, ..facts.block }, ..block((0, 1), (2, 0)) }), "0:1-2:1 0");
}

#[test]
fn exclusive() {
    let with = |kind, first, last| Facts { bounds: Bounds::Exclusive, ..BUFFER.facts(kind, first, last) };
    assert_eq!(of(&with(Kind::Char, (0, 1), (0, 3))), "0:1-0:3 3");
    assert_eq!(of(&with(Kind::Char, (0, 1), (0, 1))), "0:1-0:2 2", "one position is itself");
    assert_eq!(of(&with(Kind::Char, (1, 1), (1, 3))), "1:1-1:3 3", "no line break");
    assert_eq!(of(&with(Kind::Char, (1, 3), (1, 3))), "1:3-2:0 0", "one position past the end");
    assert_eq!(of(&with(Kind::Char, (2, 0), (2, 0))), "2:0-3:0 0");
    assert_eq!(of(&with(Kind::Char, (1, 1), (2, 0))), "1:1-2:0 0", "column 0: the line break before it");
    let mut inside = with(Kind::Char, (0, 1), (0, 3));
    inside.last.rest = 2;
    assert_eq!(of(&inside), "0:1-0:5 5", "the end lies inside a character, which counts whole");
    assert_eq!(of(&with(Kind::Line, (0, 1), (1, 1))), "0:0-1:3 3");
    assert_eq!(of(&with(Kind::Block, (0, 1), (1, 2))), "0:1-1:2 2");
    assert_eq!(of(&with(Kind::Block, (0, 2), (1, 1))), "0:1-1:3 3", "the later corner is not right of the earlier");
    assert_eq!(of(&with(Kind::Block, (0, 1), (1, 1))), "0:1-1:2 2");
    assert_eq!(of(&with(Kind::Block, (0, 0), (2, 0))), "0:0-2:1 0");
}

#[test]
fn old() {
    let with = |first, last| Facts { bounds: Bounds::Old, ..BUFFER.facts(Kind::Char, first, last) };
    assert_eq!(of(&with((0, 1), (0, 3))), "0:1-0:4 4");
    assert_eq!(of(&with((2, 0), (2, 0))), "2:0-2:1 0");
    assert_eq!(of(&with((1, 1), (2, 0))), "1:1-2:1 0");
}

#[test]
fn virtual_columns() {
    let with = |first, last, offsets: (usize, usize)| {
        let mut facts = Facts { virtual_all: true, ..BUFFER.facts(Kind::Char, first, last) };
        (facts.first.offset, facts.last.offset) = offsets;
        facts
    };
    assert_eq!(of(&with((1, 0), (1, 3), (0, 4))), "1:0-1:3 3", "no line break, no virtual spaces");
    assert_eq!(of(&with((1, 3), (1, 3), (1, 4))), "1:3-1:3 3", "virtual columns alone");
    assert_eq!(of(&with((2, 0), (2, 0), (0, 0))), "2:0-2:1 0", "an empty line");
    assert_eq!(of(&with((2, 0), (2, 0), (2, 5))), "2:0-2:0 0", "virtual columns of an empty line alone");
    assert_eq!(of(&with((1, 3), (2, 0), (1, 1))), "1:3-2:1 0");
    assert_eq!(of(&with((0, 2), (0, 2), (1, 3))), "0:2-0:3 3", "a column of a character counts whole");
    let exclusive = Facts { bounds: Bounds::Exclusive, ..with((0, 0), (0, 2), (0, 1)) };
    assert_eq!(of(&exclusive), "0:0-0:3 3", "one of its columns is selected");
    assert_eq!(of(&Facts { bounds: Bounds::Exclusive, ..with((1, 0), (1, 3), (0, 2)) }), "1:0-1:3 3");
}

#[test]
fn corners_outside_the_line_are_taken_to_its_end() {
    assert_eq!(of(&BUFFER.facts(Kind::Char, (1, 9), (3, 9))), "1:3-3:3 3");
}
