//! Which words of a changed line are new, and which went.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Byte ranges of a line, in order, that do not touch.
pub type Ranges = Vec<Range<usize>>;

/// Lines with more bytes than this are compared from both ends only.
const MAX_BYTES: usize = 8192;
/// Pairs of words that are compared at most; beyond, all that lies between the equal ends counts as changed.
const MAX_PAIRS: usize = 1 << 18;

/// What of `old` is not in `new`, and what of `new` is not in `old`. Without those ranges both are the same text, but
/// for blanks that stand between two changed words. A byte that is not UTF-8 is a word of its own.
#[must_use]
pub fn changed(old: &[u8], new: &[u8]) -> (Ranges, Ranges) {
    if old.len().max(new.len()) > MAX_BYTES {
        return between_equal_ends(old, new);
    }
    let (old_words, new_words) = (words(old), words(new));
    let mut kept = (vec![false; old_words.len()], vec![false; new_words.len()]);
    for (at, there) in kept_words(&old_words, &new_words) {
        (kept.0[at], kept.1[there]) = (true, true);
    }
    (ranges(&old_words, &kept.0), ranges(&new_words, &kept.1))
}

/// A line as words, blanks and signs, by the rules of Unicode (UAX #29).
fn words(line: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    for chunk in line.utf8_chunks() {
        found.extend(chunk.valid().split_word_bounds().map(str::as_bytes));
        found.extend(chunk.invalid().chunks(1));
    }
    found
}

/// Pairs of places in both lists with the same word, in order: a longest common subsequence.
fn kept_words(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old_rest[..old_rest.len() - end], &new_rest[..new_rest.len() - end]);
    let mut pairs: Vec<_> = (0..start).map(|at| (at, at)).collect();
    pairs.extend(common(old_rest, new_rest).into_iter().map(|(a, b)| (start + a, start + b)));
    pairs.extend((0..end).map(|at| (old.len() - end + at, new.len() - end + at)));
    pairs
}

fn common(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    if old.len() * new.len() > MAX_PAIRS {
        return Vec::new();
    }
    let width = new.len() + 1;
    // How many words the rests of both have in common, from each pair of places on.
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = if old[a] == new[b] {
                longest[(a + 1) * width + b + 1] + 1
            } else {
                longest[(a + 1) * width + b].max(longest[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if longest[(a + 1) * width + b] >= longest[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// The words that are not kept, as ranges; blanks between two of them belong to them.
fn ranges(words: &[&[u8]], kept: &[bool]) -> Ranges {
    let mut found: Ranges = Vec::new();
    let (mut at, mut is_only_blanks_since) = (0, false);
    for (word, is_kept) in words.iter().zip(kept) {
        let end = at + word.len();
        if !is_kept {
            match found.last_mut() {
                Some(last) if last.end == at || is_only_blanks_since => last.end = end,
                _ => found.push(at..end),
            }
            is_only_blanks_since = true;
        } else if !word.iter().all(u8::is_ascii_whitespace) {
            is_only_blanks_since = false;
        }
        at = end;
    }
    found
}

fn between_equal_ends(old: &[u8], new: &[u8]) -> (Ranges, Ranges) {
    let is_inside = |text: &[u8], at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let mut start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    while start > 0 && (is_inside(old, start) || is_inside(new, start)) {
        start -= 1;
    }
    let rest = old.len().min(new.len()) - start;
    let mut end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    while end > 0 && (is_inside(old, old.len() - end) || is_inside(new, new.len() - end)) {
        end -= 1;
    }
    let middle = |text: &[u8]| {
        let range = start..text.len() - end;
        if range.is_empty() { Vec::new() } else { vec![range] }
    };
    (middle(old), middle(new))
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, Ranges, changed};

    fn parts<'a>(text: &'a str, ranges: &Ranges) -> Vec<&'a str> {
        ranges.iter().map(|range| &text[range.clone()]).collect()
    }

    #[test]
    fn words_that_went_and_came_are_told() {
        for (old, new, gone, added) in [
            ("return a + b", "return a - b", vec!["+"], vec!["-"]),
            ("local total = 0", "local sum = 0", vec!["total"], vec!["sum"]),
            ("foo_bar(x)", "foo_baz(x, y)", vec!["foo_bar"], vec!["foo_baz", ", y"]),
            ("same", "same", vec![], vec![]),
            ("", "new words", vec![], vec!["new words"]),
            ("one two three", "one three", vec!["two "], vec![]),
            ("a b c d", "a x y d", vec!["b c"], vec!["x y"]),
            ("Preis: 5 €", "Preis: 7 €", vec!["5"], vec!["7"]),
            ("日本語 の 本", "日本語 の 木", vec!["本"], vec!["木"]),
            ("cafe\u{301} noir", "cafe noir", vec!["cafe\u{301}"], vec!["cafe"]),
            ("hi 👩‍👩‍👧!", "hi 👩‍👩‍👦!", vec!["👩‍👩‍👧"], vec!["👩‍👩‍👦"]),
        ] {
            let (old_ranges, new_ranges) = changed(old.as_bytes(), new.as_bytes());
            assert_eq!(parts(old, &old_ranges), gone, "{old:?} to {new:?}");
            assert_eq!(parts(new, &new_ranges), added, "{old:?} to {new:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_words_too() {
        let (gone, added) = changed(b"a\xFFb c", b"a\xFEb d");
        assert_eq!(gone, vec![1..2, 4..5]);
        assert_eq!(added, gone);
    }

    #[test]
    fn a_long_line_is_compared_from_its_ends() {
        let old = format!("{}é{}", "x".repeat(MAX_BYTES), "y".repeat(MAX_BYTES));
        let new = format!("{}è{}", "x".repeat(MAX_BYTES), "y".repeat(MAX_BYTES));
        let middle = MAX_BYTES..MAX_BYTES + 2;
        assert_eq!(changed(old.as_bytes(), new.as_bytes()), (vec![middle.clone()], vec![middle]));
        assert_eq!(changed(old.as_bytes(), old.as_bytes()), (vec![], vec![]));
    }

    #[test]
    fn without_what_changed_both_are_the_same() {
        let pieces = ["a", "bc", " ", "  ", "é", "日", "(", ";", "\t", "👍🏽", "7"];
        let mut seed = 7_usize;
        let mut line = || {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            text
        };
        let rest = |text: &str, ranges: &Ranges| {
            let mut text = text.to_owned();
            for range in ranges.iter().rev() {
                text.replace_range(range.clone(), "");
            }
            text.replace([' ', '\t'], "")
        };
        for _ in 0..2000 {
            let (old, new) = (line(), line());
            let (gone, added) = changed(old.as_bytes(), new.as_bytes());
            assert_eq!(rest(&old, &gone), rest(&new, &added), "{old:?} to {new:?}");
        }
    }
}
