//! What is counted about stints, beside what the SDK counts. Without an endpoint nothing is kept.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use temporalio_common::telemetry::{
    HistogramBucketOverrides, PrometheusExporterOptions,
    metrics::{
        CoreMeter, Counter, HistogramF64, MetricKeyValue, MetricParameters, NewAttributes,
        NoOpCoreMeter,
    },
    start_prometheus_metric_exporter,
};

use crate::{
    search_attributes,
    stint::{Lost, Publishing},
    wire::{StintInput, StintReport},
};

/// From a stint that only looks to one of half an hour and more.
const STINT_SECONDS: [f64; 10] =
    [1.0, 5.0, 15.0, 60.0, 180.0, 600.0, 1200.0, 1800.0, 2400.0, 3600.0];

/// The counters of one worker.
#[derive(Clone)]
pub struct Metrics {
    meter: Arc<dyn CoreMeter>,
    stints: Counter,
    seconds: HistogramF64,
    iterations: Counter,
    cost: Counter,
    takeovers: Counter,
    fenced: Counter,
    publish_seconds: HistogramF64,
    publish_failures: Counter,
}

impl Metrics {
    /// Serves all metrics of the process at `address`.
    pub fn serve(address: SocketAddr) -> anyhow::Result<(Self, Arc<dyn CoreMeter>)> {
        let mut buckets = HistogramBucketOverrides::default();
        buckets.overrides.insert("ralph_stint_seconds".into(), STINT_SECONDS.to_vec());
        let options = PrometheusExporterOptions::builder()
            .socket_addr(address)
            .use_seconds_for_durations(true)
            .histogram_bucket_overrides(buckets)
            .build();
        let server = start_prometheus_metric_exporter(options).with_context(|| {
            format!("cannot serve metrics at {address}: choose a free one with --metrics")
        })?;
        let meter: Arc<dyn CoreMeter> = server.meter;
        Ok((Self::new(Arc::clone(&meter)), meter))
    }

    /// Counts for nobody.
    pub fn none() -> Self {
        Self::new(Arc::new(NoOpCoreMeter))
    }

    fn new(meter: Arc<dyn CoreMeter>) -> Self {
        Self {
            stints: meter.counter(named("ralph_stints_total", "Stints that ended, by how.")),
            seconds: meter.histogram_f64(named("ralph_stint_seconds", "How long stints took.")),
            iterations: meter
                .counter(named("ralph_iterations_total", "Iterations that stints closed.")),
            cost: meter.counter(named(
                "ralph_cost_micro_usd_total",
                "What agents cost, in millionths of a dollar.",
            )),
            takeovers: meter.counter(named(
                "ralph_takeovers_total",
                "Stints that found the branch held by another.",
            )),
            fenced: meter
                .counter(named("ralph_fenced_total", "Stints that lost the branch to another.")),
            publish_seconds: meter.histogram_f64(named(
                "ralph_publish_seconds",
                "How long publications took, each counted with its stint's mean.",
            )),
            publish_failures: meter.counter(named(
                "ralph_publish_failures_total",
                "Publications that the remote did not take.",
            )),
            meter,
        }
    }

    pub(crate) fn begin(&self, input: &StintInput) -> Begun {
        Begun {
            metrics: self.clone(),
            began: Instant::now(),
            account: input.spec.account.clone(),
            tenant: input.spec.tenant.clone(),
            spent: input.spent_micro_usd,
            iterations: input.iterations,
        }
    }

    fn add(&self, counter: &Counter, much: u64, labels: &[(&str, &str)]) {
        counter.add(much, &self.meter.new_attributes(attributes(labels)));
    }
}

/// A stint that is being measured.
pub(crate) struct Begun {
    metrics: Metrics,
    began: Instant,
    account: String,
    tenant: String,
    spent: u64,
    iterations: u32,
}

impl Begun {
    pub(crate) fn ended(self, ended: &Result<StintReport, Lost>, published: Publishing) {
        let Self { metrics, account, tenant, .. } = &self;
        let by_account = ("account", account.as_str());
        metrics.add(&metrics.stints, 1, &[by_account, ("end", word(ended))]);
        let seconds = self.began.elapsed().max(Duration::from_millis(1)).as_secs_f64();
        metrics.seconds.record(seconds, &metrics.meter.new_attributes(attributes(&[by_account])));
        match ended {
            Ok(report) => {
                let iterations = report.iterations.saturating_sub(self.iterations);
                metrics.add(&metrics.iterations, iterations.into(), &[by_account]);
                let cost = report.cost_micro_usd.saturating_sub(self.spent);
                metrics.add(&metrics.cost, cost, &[("tenant", tenant)]);
                if report.took_over {
                    metrics.add(&metrics.takeovers, 1, &[by_account]);
                }
            }
            Err(Lost::Fenced(_)) => metrics.add(&metrics.fenced, 1, &[by_account]),
            Err(_) => {}
        }
        self.published(published);
    }

    fn published(&self, published: Publishing) {
        let by_account = attributes(&[("account", &self.account)]);
        let by_account = self.metrics.meter.new_attributes(by_account);
        for _ in 0..published.out {
            let mean = published.took / published.out;
            self.metrics.publish_seconds.record(mean.as_secs_f64(), &by_account);
        }
        self.metrics.publish_failures.add(published.failed.into(), &by_account);
    }
}

fn word(ended: &Result<StintReport, Lost>) -> &'static str {
    match ended {
        Ok(report) => search_attributes::state(&report.end),
        Err(Lost::Fenced(_)) => "fenced",
        Err(Lost::CutOff) => "cut_off",
        Err(Lost::Refused(_)) => "refused",
        Err(Lost::Failed(_)) => "failed",
    }
}

fn attributes(labels: &[(&str, &str)]) -> NewAttributes {
    let pairs = labels.iter().map(|(key, value)| MetricKeyValue::new(*key, (*value).to_owned()));
    NewAttributes::from(pairs.collect::<Vec<_>>())
}

fn named(name: &'static str, description: &'static str) -> MetricParameters {
    MetricParameters::builder().name(name).description(description).build()
}
