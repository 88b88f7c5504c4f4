//! Which lines of a text differ from another's.

use imara_diff::{Algorithm, Diff, InternedInput};

/// Lines that changed: counted from 1, on both sides. A side without lines names the line before the place.
#[derive(Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line of the old text.
    pub from_start: u32,
    /// How many of its lines went.
    pub from_count: u32,
    /// The first line of the new text.
    pub to_start: u32,
    /// How many lines came.
    pub to_count: u32,
}

/// The hunks between two texts, in order. A line includes its line feed: a last line without one is another line.
// Histogram takes 100 times as long as Myers where thousands of lines changed here and there.
#[must_use]
pub fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let side = |range: std::ops::Range<u32>| (range.start + u32::from(!range.is_empty()), range.end - range.start);
    diff.hunks()
        .map(|hunk| {
            let ((from_start, from_count), (to_start, to_count)) = (side(hunk.before), side(hunk.after));
            Hunk { from_start, from_count, to_start, to_count }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Hunk, hunks};

    fn of(old: &str, new: &str) -> Vec<[u32; 4]> {
        let flat = |hunk: &Hunk| [hunk.from_start, hunk.from_count, hunk.to_start, hunk.to_count];
        hunks(old.as_bytes(), new.as_bytes()).iter().map(flat).collect()
    }

    #[test]
    fn lines_are_counted_as_vim_counts_them() {
        for (old, new, expected) in [
            ("a\nb\nc\n", "a\nB\nc\n", vec![[2, 1, 2, 1]]),
            ("a\nb\nc\n", "a\nc\n", vec![[2, 1, 1, 0]]),
            ("a\nc\n", "a\nb\nc\n", vec![[1, 0, 2, 1]]),
            ("", "a\n", vec![[0, 0, 1, 1]]),
            ("a\n", "", vec![[1, 1, 0, 0]]),
            ("a\nb", "a\nb\n", vec![[2, 1, 2, 1]]),
            ("a\r\n", "a\n", vec![[1, 1, 1, 1]]),
            ("same\n", "same\n", vec![]),
            ("", "", vec![]),
        ] {
            assert_eq!(of(old, new), expected, "{old:?} to {new:?}");
        }
    }

    #[test]
    fn a_block_is_taken_whole() {
        let old = "fn a() {\n    1\n}\n\nfn c() {\n    3\n}\n";
        let new = "fn a() {\n    1\n}\n\nfn b() {\n    2\n}\n\nfn c() {\n    3\n}\n";
        assert_eq!(of(old, new), vec![[4, 0, 5, 4]]);
    }

    #[test]
    fn hunks_make_the_new_text_of_the_old_one() {
        let mut seed = 3_usize;
        let mut text = || {
            let mut text = String::new();
            for _ in 0..14 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(["a\n", "b\n", "c\n", "\n", "d\n", ""][(seed >> 33) % 6]);
            }
            if seed.is_multiple_of(3) {
                text.push('e');
            }
            text
        };
        for _ in 0..2000 {
            let (old, new) = (text(), text());
            let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
            let (old_lines, new_lines) = (lines(&old), lines(&new));
            let (mut made, mut at) = (Vec::new(), 0);
            for hunk in hunks(old.as_bytes(), new.as_bytes()) {
                let start = (hunk.from_start - u32::from(hunk.from_count > 0)) as usize;
                let to = (hunk.to_start - u32::from(hunk.to_count > 0)) as usize;
                made.extend_from_slice(&old_lines[at..start]);
                assert_eq!(made.len(), to, "{old:?} to {new:?}");
                made.extend_from_slice(&new_lines[to..to + hunk.to_count as usize]);
                at = start + hunk.from_count as usize;
            }
            made.extend_from_slice(&old_lines[at..]);
            assert_eq!(made.concat(), new, "{old:?} to {new:?}");
        }
    }
}
