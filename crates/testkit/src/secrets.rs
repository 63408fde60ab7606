//! A hundred made-up secrets of every kind that ralph knows, put together at run time: no file holds one.

/// A secret and its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planted {
    pub kind: &'static str,
    /// What must not be found anywhere.
    pub value: String,
    /// The value as it is printed: with what tells its kind.
    pub shown: String,
}

/// How many of each kind.
const EACH: u64 = 4;
const ALPHANUMERIC: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Draws from an alphabet, the same for the same seed.
struct Draw(u64);

impl Draw {
    fn some(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        let mut next = || {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap_or(0)
        };
        let mut text: String =
            (0..length).map(|_| char::from(letters[next() % letters.len()])).collect();
        // Whatever chance gave, a real one has a digit and a letter near its beginning.
        if length > 8 && alphabet.contains('Q') {
            text.replace_range(2..4, "7R");
        }
        text
    }
}

/// What a kind is, and how it is made and shown.
type Recipe = (&'static str, fn(&mut Draw) -> (String, String));

fn bare(value: String) -> (String, String) {
    (value.clone(), value)
}

fn inside(before: &str, value: String, after: &str) -> (String, String) {
    let shown = format!("{before}{value}{after}");
    (value, shown)
}

fn pem(draw: &mut Draw, escape: &str) -> (String, String) {
    let (begin, end) = (
        ["-----BEGIN", "RSA PRIVATE", "KEY-----"].join(" "),
        ["-----END", "RSA PRIVATE", "KEY-----"].join(" "),
    );
    let lines: Vec<String> = (0..6).map(|_| draw.some(BASE64, 64)).collect();
    let body = lines.join(escape);
    let last = draw.some(BASE64, 21);
    (lines[2].clone(), format!("{begin}{escape}{body}{escape}{last}={escape}{end}"))
}

const RECIPES: [Recipe; 25] = [
    ("anthropic-key", |d| bare(format!("sk-{}-api03-{}AA", "ant", d.some(ALPHANUMERIC, 93)))),
    ("openai-key", |d| bare(format!("sk-{}-{}", "proj", d.some(ALPHANUMERIC, 48)))),
    ("github-token", |d| bare(format!("gh{}_{}", "p", d.some(ALPHANUMERIC, 36)))),
    ("github-fine-token", |d| {
        bare(format!("github_{}_{}_{}", "pat", d.some(ALPHANUMERIC, 22), d.some(ALPHANUMERIC, 59)))
    }),
    ("aws-access-key", |d| bare(format!("AK{}{}", "IA", d.some(UPPER, 16)))),
    ("aws-secret-key", |d| inside("aws_secret_access_key = ", d.some(BASE64, 40), "")),
    ("slack-token", |d| {
        bare(format!("xox{}-{}-{}", "b", d.some("0123456789", 12), d.some(ALPHANUMERIC, 24)))
    }),
    ("slack-webhook", |d| {
        let secret = d.some(ALPHANUMERIC, 24);
        let place = format!(
            "https://hooks.slack.com/services/T{}/B{}/",
            d.some(UPPER, 9),
            d.some(UPPER, 9)
        );
        inside(&place, secret, "")
    }),
    ("google-api-key", |d| bare(format!("AI{}{}", "za", d.some(ALPHANUMERIC, 35)))),
    ("google-oauth-token", |d| bare(format!("ya{}.{}", "29", d.some(ALPHANUMERIC, 60)))),
    ("npm-token", |d| bare(format!("np{}_{}", "m", d.some(ALPHANUMERIC, 36)))),
    ("gitlab-token", |d| bare(format!("gl{}-{}", "pat", d.some(ALPHANUMERIC, 20)))),
    ("jwt", |d| {
        bare(format!(
            "ey{}{}.eyJ{}.{}",
            "J",
            d.some(ALPHANUMERIC, 33),
            d.some(ALPHANUMERIC, 60),
            d.some(ALPHANUMERIC, 43)
        ))
    }),
    ("private-key", |d| pem(d, "\n")),
    ("private-key-in-json", |d| pem(d, "\\n")),
    ("authorization", |d| inside("Authorization: Bearer ", d.some(ALPHANUMERIC, 32), "")),
    ("stripe-key", |d| bare(format!("sk_{}_{}", "live", d.some(ALPHANUMERIC, 24)))),
    ("twilio-key", |d| bare(format!("S{}{}", "K", d.some(HEX, 32)))),
    ("sendgrid-key", |d| {
        bare(format!("S{}.{}.{}", "G", d.some(ALPHANUMERIC, 22), d.some(ALPHANUMERIC, 43)))
    }),
    ("azure-storage-key", |d| {
        inside("AccountName=store;AccountKey=", format!("{}==", d.some(BASE64, 86)), ";Endpoint=x")
    }),
    ("huggingface-token", |d| bare(format!("h{}_{}", "f", d.some(ALPHANUMERIC, 34)))),
    ("digitalocean-token", |d| bare(format!("dop_{}_{}", "v1", d.some(HEX, 64)))),
    ("discord-token", |d| {
        bare(format!(
            "MT{}{}.{}.{}",
            "Ax",
            d.some(ALPHANUMERIC, 22),
            d.some(ALPHANUMERIC, 6),
            d.some(ALPHANUMERIC, 38)
        ))
    }),
    ("telegram-token", |d| {
        inside(
            &format!("{}:", d.some("123456789", 9)),
            format!("A{}{}", "A", d.some(ALPHANUMERIC, 33)),
            "",
        )
    }),
    ("database-password", |d| {
        inside("postgres://app:", d.some(ALPHANUMERIC, 18), "@db.internal:5432/app")
    }),
];

/// All of them, the same each time.
pub fn planted() -> Vec<Planted> {
    let mut all = Vec::new();
    for (number, (kind, make)) in (0_u64..).zip(RECIPES) {
        for copy in 0..EACH {
            let mut draw = Draw(number * 1_000 + copy + 1);
            let _ = draw.some(ALPHANUMERIC, 8);
            let (value, shown) = make(&mut draw);
            all.push(Planted { kind, value, shown });
        }
    }
    all
}

/// How many kinds there are.
pub fn kinds() -> usize {
    RECIPES.len()
}
