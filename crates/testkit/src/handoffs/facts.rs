//! Facts about an invented web shop, each in three honest wordings.

/// What a fact is about; decides how it is worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    Store,
    Limit,
    Import,
    Tool,
    Format,
    Access,
    Schedule,
    Failure,
}

pub(super) const SORTS: [Sort; 8] = [
    Sort::Store,
    Sort::Limit,
    Sort::Import,
    Sort::Tool,
    Sort::Format,
    Sort::Access,
    Sort::Schedule,
    Sort::Failure,
];

/// One fact: a subject of its sort and the value it has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub sort: Sort,
    pub subject: &'static str,
    pub value: &'static str,
}

const STORED: [&str; 25] = [
    "session",
    "cart",
    "invoice",
    "audit",
    "product image",
    "search index",
    "avatar",
    "price list",
    "coupon",
    "feature flag",
    "email queue",
    "shipping label",
    "tax rate",
    "refund",
    "stock level",
    "wishlist",
    "review text",
    "newsletter",
    "supplier",
    "warehouse",
    "loyalty point",
    "gift card",
    "chat message",
    "return form",
    "delivery slot",
];
const STORES: [&str; 7] =
    ["Redis", "PostgreSQL", "S3", "SQLite", "MongoDB", "Elasticsearch", "the local disk"];

const LIMITED: [&str; 25] = [
    "upload size in MB",
    "request body in KB",
    "password length",
    "import batch",
    "page size",
    "retry count",
    "open websocket count",
    "thumbnail width",
    "login attempt count",
    "webhook payload in KB",
    "CSV row count",
    "API key count per user",
    "address line length",
    "order item count",
    "discount percentage",
    "image count per product",
    "comment length",
    "search term length",
    "export row count",
    "cart age in days",
    "token lifetime in minutes",
    "log retention in days",
    "job queue depth",
    "gift message length",
    "report range in months",
];
const NUMBERS: [&str; 9] = ["5", "10", "25", "30", "50", "100", "200", "500", "1000"];

const IMPORTING: [&str; 25] = [
    "checkout → admin",
    "catalog → payment",
    "search → checkout",
    "admin → storefront",
    "billing → session",
    "mailer → catalog",
    "worker → http",
    "pricing → inventory",
    "reports → billing",
    "auth → profile",
    "profile → orders",
    "orders → mailer",
    "shipping → pricing",
    "storefront → worker",
    "imports → search",
    "exports → auth",
    "gateway → domain",
    "domain → gateway",
    "events → storage",
    "storage → events",
    "reviews → billing",
    "loyalty → reports",
    "returns → catalog",
    "tax → mailer",
    "audit → http",
];
const ALLOWED: [&str; 1] = ["not at all"];

const PURPOSES: [&str; 25] = [
    "HTTP calls",
    "date handling",
    "money arithmetic",
    "schema migration",
    "background jobs",
    "templating",
    "password hashing",
    "image resizing",
    "PDF output",
    "full text search",
    "end-to-end tests",
    "mocking in tests",
    "linting",
    "structured logging",
    "metrics",
    "feature toggles",
    "input validation",
    "spreadsheet export",
    "email delivery",
    "rate limiting",
    "barcode output",
    "geocoding",
    "currency conversion",
    "markdown rendering",
    "cron parsing",
];
const TOOLS: [&str; 12] = [
    "axios",
    "luxon",
    "bignumber",
    "knex",
    "bullmq",
    "nunjucks",
    "argon2",
    "sharp",
    "zod",
    "pino",
    "vitest",
    "undici",
];

const WRITTEN: [&str; 25] = [
    "order number",
    "timestamp",
    "price",
    "country code",
    "phone number",
    "slug",
    "SKU",
    "currency",
    "tax number",
    "tracking code",
    "locale",
    "colour",
    "weight",
    "user id",
    "IBAN",
    "postal code",
    "event name",
    "cache key",
    "coupon code",
    "log line",
    "file name",
    "branch code",
    "duration",
    "percentage",
    "barcode",
];
const FORMATS: [&str; 8] = [
    "ISO 8601",
    "integer cents",
    "E.164",
    "lowercase kebab-case",
    "UUID v7",
    "zero-padded digits",
    "upper-case ASCII",
    "base32",
];

const ENDPOINTS: [&str; 25] = [
    "/api/orders",
    "/api/refunds",
    "/api/users",
    "/api/stock",
    "/api/prices",
    "/api/coupons",
    "/api/reports",
    "/api/export",
    "/api/import",
    "/api/labels",
    "/api/returns",
    "/api/reviews",
    "/api/search",
    "/api/session",
    "/api/webhooks",
    "/api/metrics",
    "/api/flags",
    "/api/tax",
    "/api/slots",
    "/api/gifts",
    "/api/loyalty",
    "/api/audit",
    "/api/media",
    "/api/suppliers",
    "/api/warehouses",
];
const KEYS: [&str; 6] = [
    "an admin token",
    "a signed URL",
    "a CSRF header",
    "a service key",
    "a customer session",
    "mutual TLS",
];

const JOBS: [&str; 25] = [
    "stock sync",
    "price feed",
    "cart cleanup",
    "invoice mail",
    "index rebuild",
    "session sweep",
    "report roll-up",
    "label purge",
    "coupon expiry",
    "refund poll",
    "webhook resend",
    "sitemap build",
    "image prune",
    "audit export",
    "tax update",
    "review digest",
    "loyalty credit",
    "log rotation",
    "cache warm-up",
    "newsletter batch",
    "supplier pull",
    "slot release",
    "currency pull",
    "metrics flush",
    "backup check",
];

const FAILING: [&str; 25] = [
    "payment adapter",
    "mail adapter",
    "search adapter",
    "import parser",
    "tax client",
    "shipping client",
    "stock service",
    "price service",
    "auth middleware",
    "upload handler",
    "webhook receiver",
    "label printer",
    "report builder",
    "coupon engine",
    "session store",
    "export writer",
    "geocoder",
    "barcode reader",
    "loyalty service",
    "review filter",
    "currency client",
    "queue consumer",
    "cache layer",
    "template loader",
    "media proxy",
];
const STYLES: [&str; 6] = [
    "typed results",
    "thrown exceptions",
    "problem+json",
    "numeric codes",
    "Option values",
    "domain events",
];

impl Sort {
    pub(super) fn subjects(self) -> &'static [&'static str] {
        match self {
            Self::Store => &STORED,
            Self::Limit => &LIMITED,
            Self::Import => &IMPORTING,
            Self::Tool => &PURPOSES,
            Self::Format => &WRITTEN,
            Self::Access => &ENDPOINTS,
            Self::Schedule => &JOBS,
            Self::Failure => &FAILING,
        }
    }

    pub(super) fn values(self) -> &'static [&'static str] {
        match self {
            Self::Store => &STORES,
            Self::Limit | Self::Schedule => &NUMBERS,
            Self::Import => &ALLOWED,
            Self::Tool => &TOOLS,
            Self::Format => &FORMATS,
            Self::Access => &KEYS,
            Self::Failure => &STYLES,
        }
    }

    /// Whether agents report such facts as constraints; else as decisions.
    pub(super) fn is_constraint(self) -> bool {
        matches!(self, Self::Limit | Self::Import | Self::Access | Self::Schedule)
    }
}

impl Fact {
    /// The fact in one of three wordings.
    pub fn wording(&self, which: usize) -> String {
        let (s, v) = (self.subject, self.value);
        let (a, b) = s.split_once(" → ").unwrap_or((s, s));
        match (self.sort, which % 3) {
            (Sort::Store, 0) => format!("All {s} data is kept in {v}."),
            (Sort::Store, 1) => format!("We store {s} records in {v}"),
            (Sort::Store, _) => format!("{v} holds everything about {s} data"),
            (Sort::Limit, 0) => format!("The {s} must not be above {v}"),
            (Sort::Limit, 1) => format!("At most {v} is allowed for the {s}"),
            (Sort::Limit, _) => format!("Never let the {s} exceed {v}"),
            (Sort::Import, 0) => format!("The {a} module must not import the {b} module"),
            (Sort::Import, 1) => format!("No import of {b} from within {a} is allowed"),
            (Sort::Import, _) => format!("{a} has to stay free of imports of {b}"),
            (Sort::Tool, 0) => format!("Use {v} for {s}."),
            (Sort::Tool, 1) => format!("All {s} goes through {v}"),
            (Sort::Tool, _) => format!("For {s} we rely on {v} everywhere"),
            (Sort::Format, 0) => format!("Every {s} is written as {v}"),
            (Sort::Format, 1) => format!("Write each {s} as {v}, nothing else"),
            (Sort::Format, _) => format!("{v} is the only accepted form of a {s}"),
            (Sort::Access, 0) => format!("{s} requires {v}"),
            (Sort::Access, 1) => format!("Callers of {s} must present {v}"),
            (Sort::Access, _) => format!("Without {v} nobody may call {s}"),
            (Sort::Schedule, 0) => format!("The {s} job runs every {v} minutes"),
            (Sort::Schedule, 1) => format!("The {s} job is scheduled at intervals of {v} minutes"),
            (Sort::Schedule, _) => format!("Every {v} minutes the {s} job is started"),
            (Sort::Failure, 0) => format!("The {s} reports failures as {v}"),
            (Sort::Failure, 1) => format!("Failures inside the {s} become {v}"),
            (Sort::Failure, _) => format!("{v} are how the {s} signals failure"),
        }
    }
}

impl Default for Fact {
    fn default() -> Self {
        Self { sort: Sort::Store, subject: "", value: "" }
    }
}
