//! A last word when the process ends without `VimLeavePre`.
//!
//! Neovim runs no autocommand for a signal that it notices while another autocommand runs (0.10 to 0.12), and the
//! lock file must go even then.

use parking_lot::Once;

static REGISTERED: Once = Once::new();

/// Has `last` called when the process exits in an orderly way. Only the first call counts.
pub fn register(last: extern "C" fn()) {
    REGISTERED.call_once(|| {
        // SAFETY: atexit keeps a function pointer; the library stays mapped to the end of the process.
        #[allow(unsafe_code)]
        let status = unsafe { libc::atexit(last) };
        if status != 0 {
            log::warn!(target: "claudecode", "cannot register for the end of the process");
        }
    });
}
