//! What a stint finds on the remote besides the truth: the run's refs as they are now. People may have moved the run
//! branch meanwhile; the run follows if nothing of its own is left behind.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{
    published::{Kept, Published},
    repository::{Advertised, Refs, Repository},
};

/// The run's refs as the remote has them.
#[derive(Debug, Clone, Default)]
pub struct Ground {
    /// As the run goes on with them.
    pub published: Published,
    /// They are what was published last, every one.
    pub is_as_published: bool,
    /// The branch that is checked out by default, if the remote has a commit.
    pub(crate) default_branch: Option<String>,
    /// The run branch went where the run cannot follow: what a person should do.
    pub astray: Option<String>,
}

impl Repository {
    /// Looks at the remote's refs and brings them here.
    pub fn ground(&self, published: &Published, run: Option<&str>) -> Result<Ground> {
        let there = self.look(run)?;
        let mut pairs: Vec<(String, String)> = Vec::new();
        let default_branch =
            there.default_branch.clone().filter(|_| there.refs.contains_key("HEAD"));
        pairs.extend(
            default_branch.iter().map(|name| {
                (format!("refs/heads/{name}"), self.own(&format!("refs/default/{name}")))
            }),
        );
        let names = published.refs.iter().map(|(name, kept)| (name.clone(), kept.at.clone()));
        let wanted = names.chain([(self.run_branch(), self.run_branch())]);
        for (name, at) in wanted.filter(|(_, at)| there.refs.contains_key(at)) {
            let place = if name == at { self.own(&name) } else { self.own_kept(&name) };
            pairs.push((at, place));
        }
        pairs.sort_unstable();
        pairs.dedup();
        self.fetch(&pairs)?;
        // What arrived counts, not what was announced: somebody may have pushed in between.
        let here = self.refs_in(self.dir(), &[&self.own("")])?;
        let arrived =
            pairs.iter().filter_map(|(at, place)| Some((at.clone(), here.get(place)?.clone())));
        let refs = arrived.collect();
        self.settle(published, &refs, default_branch)
    }

    fn look(&self, run: Option<&str>) -> Result<Advertised> {
        let branch = self.run_branch();
        let own = run.map(|run| format!("refs/ralph/{run}/*"));
        let mut patterns = vec!["HEAD", &branch, "refs/heads/ralph/parked/*", "refs/heads/wip/*"];
        patterns.extend(own.as_deref());
        self.advertised(&patterns)
    }

    fn settle(
        &self,
        published: &Published,
        there: &Refs,
        default_branch: Option<String>,
    ) -> Result<Ground> {
        let branch = self.run_branch();
        let mut ground = Ground {
            published: Published { refs: BTreeMap::new(), ..published.clone() },
            default_branch,
            ..Ground::default()
        };
        for (name, kept) in published.refs.iter().filter(|(name, _)| **name != branch) {
            // One that is gone was taken away by a person who had looked at it.
            if let Some(oid) = there.get(&kept.at) {
                let kept = Kept { oid: oid.clone(), at: kept.at.clone() };
                ground.published.refs.insert(name.clone(), kept);
            }
        }
        let theirs = there.get(&branch);
        match (published.refs.get(&branch), theirs) {
            (None, None) => {}
            (Some(ours), None) => {
                ground.astray = Some(format!(
                    "{branch} is gone from the remote; push {} to it, then resume the loop",
                    ours.oid
                ));
            }
            (ours, Some(theirs)) => {
                let is_followed = match ours {
                    Some(ours) => ours.oid == *theirs || self.is_within(&ours.oid, theirs)?,
                    None => true,
                };
                if let (false, Some(ours)) = (is_followed, ours) {
                    ground.astray = Some(format!(
                        "somebody moved {branch} to {theirs}, which lacks this run's work up to {} ({}); \
                         merge that into {branch}, push it, then resume the loop",
                        ours.oid, ours.at
                    ));
                }
                let kept = Kept { oid: theirs.clone(), at: branch.clone() };
                ground.published.refs.insert(branch, kept);
            }
        }
        ground.is_as_published = ground.published == *published && ground.astray.is_none();
        Ok(ground)
    }

    fn own_kept(&self, name: &str) -> String {
        self.own(&format!("refs/kept/{}", name.trim_start_matches("refs/")))
    }

    /// Where this repository has a ref of the ground.
    pub(crate) fn place_of(&self, name: &str, kept: &Kept) -> String {
        if name == kept.at { self.own(name) } else { self.own_kept(name) }
    }
}
