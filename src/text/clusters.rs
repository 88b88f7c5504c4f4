//! Text by grapheme cluster, where the editor is not asked what one character is.

use unicode_segmentation::GraphemeCursor;

/// How far back from a cut a place to start reading is looked for, in bytes.
const LOOK_BACK: usize = 4096;
/// How far behind a cut the text is read, in bytes: enough to see whether the cluster goes on there.
const LOOK_AHEAD: usize = 64;

/// The length of the longest prefix of at most `max` bytes that ends between two clusters. A byte that is not UTF-8
/// is a cluster of its own. A first cluster of more than `max` bytes is cut between two of its code points.
#[must_use]
pub fn cut(text: &[u8], max: usize) -> usize {
    if text.len() <= max {
        return text.len();
    }
    let from = safe_start(text, max);
    let window = &text[from..(max + LOOK_AHEAD).min(text.len())];
    match from + last_border(window, max - from) {
        0 => floor_code_point(text, max),
        border => border,
    }
}

/// A place before `max` where a cluster surely begins: behind a line break, or between two letters of ASCII.
fn safe_start(text: &[u8], max: usize) -> usize {
    let oldest = floor_code_point(text, max.saturating_sub(LOOK_BACK));
    let begins = |at: &usize| match (text[at - 1], text[*at]) {
        (b'\n', _) => true,
        (before, here) => before.is_ascii_alphanumeric() && here.is_ascii_alphanumeric(),
    };
    (oldest + 1..max).rev().find(begins).unwrap_or(oldest)
}

/// The last border between clusters at or before `limit`, which lies inside `window`.
fn last_border(window: &[u8], limit: usize) -> usize {
    let mut at = 0;
    for chunk in window.utf8_chunks() {
        let valid = chunk.valid();
        if at + valid.len() > limit {
            return at + border_before(valid, limit - at);
        }
        at += valid.len();
        if at + chunk.invalid().len() > limit {
            return limit;
        }
        at += chunk.invalid().len();
    }
    limit
}

fn border_before(text: &str, at: usize) -> usize {
    let at = floor_code_point(text.as_bytes(), at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    if cursor.is_boundary(text, 0) == Ok(true) {
        return at;
    }
    cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}

/// `at`, or the start of the code point that it lies in.
fn floor_code_point(text: &[u8], at: usize) -> usize {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|&at| !continues(at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_text_that_fits_stays_whole() {
        assert_eq!(cut(b"abc", 3), 3);
        assert_eq!(cut(b"", 0), 0);
    }

    #[test]
    fn a_cut_never_parts_a_cluster() {
        for (text, max, expected) in [
            ("abcdef", 4, 4),
            ("日本語", 4, 3),
            ("日本語", 6, 6),
            ("ae\u{301}x", 2, 1),
            ("ae\u{301}x", 4, 4),
            ("a👨‍👩‍👧b", 10, 1),
            ("a🇩🇪🇫🇷", 9, 9),
            ("a🇩🇪🇫🇷", 12, 9),
            ("x\ne\u{301}", 3, 2),
            ("x\r\ny", 2, 1),
        ] {
            assert_eq!(cut(text.as_bytes(), max), expected, "{text:?} at {max}");
        }
    }

    #[test]
    fn a_flag_is_found_again_behind_a_row_of_flags() {
        let flags = "🇩🇪".repeat(2000);
        let cut_at = cut(flags.as_bytes(), 8003);
        assert!(cut_at <= 8003 && cut_at > 7990);
    }

    #[test]
    fn a_byte_that_is_not_text_is_a_cluster_of_its_own() {
        assert_eq!(cut(b"a\xFF\xFEb", 2), 2);
        assert_eq!(cut(b"a\xFF\xCC\x81b", 3), 2);
        assert_eq!(cut(b"ab\xE6\x97", 3), 3);
        assert_eq!(cut(b"ab\xE6\x97cd", 3), 3);
    }

    #[test]
    fn one_endless_cluster_is_cut_between_code_points() {
        let zalgo = format!("e{}", "\u{301}".repeat(100));
        assert_eq!(cut(zalgo.as_bytes(), 10), 9);
        assert_eq!(cut(zalgo.as_bytes(), 0), 0);
    }
}
