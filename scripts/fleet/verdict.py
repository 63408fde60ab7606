"""What must hold once a loop has ended, whatever happened to it meanwhile."""


def settled(site, repository, loop, repeated=0, may_overlap=False):
    """The loop is done, its branch has one commit for each task, and no call was paid for in vain beyond `repeated`."""
    end = site.end(loop)
    assert end["exit"] == 0, f"the loop ended with {end}"
    assert end["done"] == end["tasks"] == len(repository.tasks), f"the loop ended with {end}"
    commits = repository.commits()
    lost = sorted(set(repository.tasks) - set(commits))
    assert not lost, f"no commit of {lost} is on the branch: {commits}"
    assert sorted(commits) == repository.tasks, f"a task was committed twice: {commits}"
    assert repository.is_green(site.folder), "the branch is not green in a clean checkout"
    lives = site.record.lives()
    wanted = len(repository.tasks) + repeated
    assert len(lives) == wanted, f"{len(lives)} calls instead of {wanted}: {[(one.task, one.host) for one in lives]}"
    overlaps = site.record.overlaps()
    assert may_overlap or not overlaps, f"two agents worked at once: {overlaps}"
    return {
        "calls": len(lives),
        "tasks": len(repository.tasks),
        "repeated": repeated,
        "overlaps": len(overlaps),
        "lost_commits": 0,
        "stints": end["stints"],
    }


def at_most(name, seconds, limit):
    """A figure that has a limit, rounded for people."""
    assert seconds <= limit, f"{name}: {seconds:.2f} s, and {limit} s is the limit"
    return {name: round(seconds, 2)}
