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
    stint::{Line, Lost, Tally},
    wire::{StintInput, StintReport},
};

/// From a stint that only looks to one of half an hour and more.
const STINT_SECONDS: [f64; 10] =
    [1.0, 5.0, 15.0, 60.0, 180.0, 600.0, 1200.0, 1800.0, 2400.0, 3600.0];

/// From a push on the same machine to one that a remote takes long for.
const PUBLISH_SECONDS: [f64; 10] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];

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
        buckets.overrides.insert("ralph_publish_seconds".into(), PUBLISH_SECONDS.to_vec());
        let options = PrometheusExporterOptions::builder()
            .socket_addr(address)
            .use_seconds_for_durations(true)
            .histogram_bucket_overrides(buckets)
            .build();
        let server = start_prometheus_metric_exporter(options).with_context(|| {
            format!("cannot serve metrics at {address}: choose a free address with --metrics")
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
            stints: meter.counter(named("ralph_stints_total", "Stints that ended, by how they ended.")),
            seconds: meter.histogram_f64(named("ralph_stint_seconds", "How long stints took.")),
            iterations: meter
                .counter(named("ralph_iterations_total", "Iterations that stints closed, by kind and by whether they were accepted.")),
            cost: meter.counter(named(
                "ralph_cost_micro_usd_total",
                "What agents cost, in millionths of a dollar.",
            )),
            takeovers: meter.counter(named(
                "ralph_takeovers_total",
                "Stints that found the branch held, by another host or before a restart of this one.",
            )),
            fenced: meter
                .counter(named("ralph_fenced_total", "Stints that lost the branch to another stint.")),
            publish_seconds: meter.histogram_f64(named(
                "ralph_publish_seconds",
                "How long publications took.",
            )),
            publish_failures: meter.counter(named(
                "ralph_publish_failures_total",
                "Publications that the remote did not accept.",
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
}

impl Begun {
    pub(crate) fn ended(self, ended: &Result<StintReport, Lost>, line: &Line) {
        let Self { metrics, account, .. } = &self;
        let account = ("account", account.as_str());
        let by_account = [account];
        metrics.add(&metrics.stints, 1, &[account, ("end", word(ended))]);
        let seconds = self.began.elapsed().max(Duration::from_millis(1)).as_secs_f64();
        let labels = metrics.meter.new_attributes(attributes(&by_account));
        metrics.seconds.record(seconds, &labels);
        if let Err(Lost::Fenced(_)) = ended {
            metrics.add(&metrics.fenced, 1, &by_account);
        }
        let published = line.publishing();
        for took in &published.out {
            metrics.publish_seconds.record(took.as_secs_f64(), &labels);
        }
        metrics.publish_failures.add(published.failed.into(), &labels);
        self.counted(&line.tally());
    }

    /// What the run did, whether or not its stint could report it.
    fn counted(&self, tally: &Tally) {
        let metrics = &self.metrics;
        for ((kind, is_accepted), count) in &tally.iterations {
            let accepted = if *is_accepted { "true" } else { "false" };
            metrics.add(&metrics.iterations, *count, &[("kind", kind), ("accepted", accepted)]);
        }
        for (agent, cost) in &tally.cost_micro_usd {
            metrics.add(&metrics.cost, *cost, &[("tenant", &self.tenant), ("agent", agent)]);
        }
        if let Some(why) = tally.took_over {
            metrics.add(&metrics.takeovers, 1, &[("why", why)]);
        }
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
