//! Signs webhooks as Standard Webhooks (standardwebhooks.com) wants it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::hmac;

use super::Undelivered;

/// What such a secret begins with.
const PREFIX: &str = "whsec_";

/// A key that signs.
pub(super) struct Key(hmac::Key);

impl Key {
    /// From `whsec_` and the key in base64.
    pub(super) fn parse(secret: &str) -> Result<Self, Undelivered> {
        let bytes = secret.strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.filter(|bytes| !bytes.is_empty());
        let wrong = || Undelivered::lasting("its secret is not whsec_ followed by base64");
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes.ok_or_else(wrong)?)))
    }

    /// The value of `webhook-signature`.
    pub(super) fn signature(&self, id: &str, seconds: i64, body: &str) -> String {
        let tag = hmac::sign(&self.0, format!("{id}.{seconds}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(tag.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn the_published_example_has_the_published_signature() {
        let key = Key::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap_or_else(|_| panic!());
        let signature =
            key.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_of_another_form_is_refused() {
        for secret in ["", "whsec_", "whsec_%%%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert!(Key::parse(secret).is_err(), "{secret}");
        }
    }
}
