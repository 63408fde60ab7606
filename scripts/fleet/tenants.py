"""Two tenants on one account: who is served when, what a budget allows, and a usage limit that rests all of them."""

import time

from .repository import Repository


def fairness(site, many=12, few=3):
    """One slot, many loops of one tenant and then a few of another: the few do not wait for all the many."""
    site.server()
    site.brain()
    site.until_polling("brain")
    site.want()
    repositories = {}
    for number in range(many + few):
        tenant = "many" if number < many else "few"
        repository = Repository(site, f"{tenant}{number}", tasks=1, gate=False)
        repositories[tenant, number] = site.submit(repository, "--tenant", tenant)
    # Hands come once all stints are in line.
    site.until(lambda: all(site.status(loop)["status"] for loop in repositories.values()), 60, "loops do not begin")
    site.hands("a", slots=1)
    site.until_polling("a")
    for loop in repositories.values():
        assert site.end(loop, 600)["exit"] == 0
    calls = sorted(site.record.lives(), key=lambda life: life.began)
    places = [place for place, life in enumerate(calls, 1) if "few" in life.key.rsplit("_2f", 2)[-2]]
    assert len(places) == few and sum(places) / few < (many + few) * 5 / 8, f"the few came at places {places}"
    return {"many": many, "few": few, "places": places}


def budget(site):
    """A tenant without money is not worked for, and says so; another one is."""
    site.stand()
    site.want()
    site.fleet("budget", "poor", "--usd", "0")
    site.fleet("budget", "rich", "--usd", "100")
    month = time.strftime("%Y-%m", time.gmtime())
    loops = {}
    for tenant in ("poor", "rich"):
        repository = Repository(site, tenant, tasks=2, gate=False)
        loops[tenant] = site.submit(repository, "--tenant", tenant, "--budget", f"budget/{tenant}/{month}")
    assert site.end(loops["rich"])["exit"] == 0
    site.until(lambda: site.status(loops["poor"]).get("state") == "needs_person", 60, "the poor loop does not wait")
    calls = [life for life in site.record.lives() if "poor" in life.key]
    assert not calls, f"{len(calls)} calls without money"
    site.fleet("budget", "poor", "--usd", "50")
    site.fleet("resume", loops["poor"])
    assert site.end(loops["poor"])["exit"] == 0
    return {"calls_without_money": 0, "calls": len(site.record.lives())}


def limit(site, loops=6):
    """A usage limit that one loop meets rests all loops of its account; none is called before the reset."""
    site.server()
    site.brain()
    site.hands("a", slots=2)
    site.until_polling("brain", "a")
    repositories = [Repository(site, f"app{number}", tasks=2, gate=False) for number in range(loops)]
    until = int(time.time()) + 60
    site.want(T_1={"limit": until})
    first = site.submit(repositories[0])
    met = site.record.wait("end", task="T-1", how="limit")["at"]
    site.until(lambda: site.status(first).get("state") == "waiting", 30, "the loop does not wait")
    others = [site.submit(one) for one in repositories[1:]]
    for loop in [first, *others]:
        assert site.end(loop, 600)["exit"] == 0
    early = [life for life in site.record.lives() if met < life.began < until]
    assert not early, f"{len(early)} calls before the reset: {[(one.key[-20:], round(until - one.began)) for one in early]}"
    after = min(life.began for life in site.record.lives() if life.began >= until)
    return {"loops": loops, "calls_before_reset": 0, "first_after_reset_s": round(after - until, 1)}
