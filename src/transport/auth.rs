//! Who is let in: loopback names only, no web pages, and only with the token of the lock file.

use hyper::{
    HeaderMap, StatusCode,
    header::{AUTHORIZATION, HOST, ORIGIN},
};
use subtle::ConstantTimeEq;

use crate::protocol::claude::TOKEN_HEADER;

/// Bytes of the token.
const TOKEN_BYTES: usize = 16;

/// A fresh token: 32 lower-case hexadecimal digits from the operating system's random source.
///
/// # Errors
/// The source failed. There is no weaker one to fall back to.
pub fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// A refusal: the status, and one sentence for the body and the log.
pub type Refusal = (StatusCode, &'static str);

/// Checks the headers of an upgrade.
///
/// # Errors
/// 403 for an `Origin` (browsers send one, the CLI does not) or a foreign `Host` (DNS rebinding), 401 for the token.
pub fn check(headers: &HeaderMap, token: &str, allowed_hosts: &[String]) -> Result<(), Refusal> {
    if headers.contains_key(ORIGIN) {
        return Err((StatusCode::FORBIDDEN, "web pages may not connect (the request has an Origin header)"));
    }
    let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else {
        return Err((StatusCode::BAD_REQUEST, "the request has no Host header"));
    };
    if !is_known_host(host, allowed_hosts) {
        return Err((
            StatusCode::FORBIDDEN,
            "the Host header names neither this machine nor one of server.allowed_hosts",
        ));
    }
    let own = headers.get(TOKEN_HEADER).map(hyper::header::HeaderValue::as_bytes);
    let bearer = headers.get(AUTHORIZATION).map(hyper::header::HeaderValue::as_bytes).and_then(bearer);
    match own.or(bearer) {
        None => Err((StatusCode::UNAUTHORIZED, "the request has no token")),
        Some(shown) if bool::from(shown.ct_eq(token.as_bytes())) => Ok(()),
        Some(_) => Err((StatusCode::UNAUTHORIZED, "the token is not the one in the lock file")),
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

fn is_known_host(host: &str, allowed: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _port)| name),
    };
    ["127.0.0.1", "localhost", "::1"].contains(&name.to_ascii_lowercase().as_str())
        || allowed.iter().any(|known| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "00112233445566778899aabbccddeeff";

    fn status(headers: &[(&'static str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        check(&map, TOKEN, &["docker.host".to_string()]).map_or_else(|(status, _)| status.as_u16(), |()| 101)
    }

    #[test]
    fn only_the_whole_token_opens() {
        let with = |token: &str| status(&[("host", "127.0.0.1:1"), (TOKEN_HEADER, token)]);
        assert_eq!(with(TOKEN), 101);
        assert_eq!(with(&TOKEN[..31]), 401);
        assert_eq!(with(&format!("{TOKEN}0")), 401);
        assert_eq!(with(&TOKEN.to_uppercase()), 401);
        assert_eq!(with(""), 401);
        assert_eq!(status(&[("host", "127.0.0.1:1")]), 401);
        assert_eq!(status(&[("host", "localhost"), ("authorization", &format!("Bearer {TOKEN}"))]), 101);
        assert_eq!(status(&[("host", "localhost"), ("authorization", &format!("Basic {TOKEN}"))]), 401);
    }

    #[test]
    fn web_pages_and_foreign_hosts_stay_out() {
        let from = |host: &str| status(&[("host", host), (TOKEN_HEADER, TOKEN)]);
        for host in ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "LOCALHOST", "[::1]:9", "docker.host:5"] {
            assert_eq!(from(host), 101, "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "10.0.0.1:80", "[::2]:1", ""] {
            assert_eq!(from(host), 403, "{host}");
        }
        assert_eq!(status(&[("host", "127.0.0.1"), (TOKEN_HEADER, TOKEN), ("origin", "http://127.0.0.1")]), 403);
        assert_eq!(status(&[(TOKEN_HEADER, TOKEN)]), 400);
    }

    #[test]
    fn tokens_are_128_bits_of_hex_and_never_the_same() {
        let (one, two) = (new_token().unwrap(), new_token().unwrap());
        assert!(one.len() == 32 && one.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')), "{one}");
        assert_ne!(one, two);
    }
}
