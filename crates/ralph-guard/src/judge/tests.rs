//! What no rule could say alone: where the worktree lies, and the guard's own signs.

use super::*;

#[test]
fn a_folder_around_the_worktree_is_not_temporary() {
    let scene = Scene::at_root("/tmp/w/proj", "/tmp/w/home");
    for command in ["rm -rf /tmp/w", "rm -rf /tmp/w/*", "rm -rf ..", "rm -rf ~", "rm -rf ../x"] {
        assert!(!judge(command, &scene).is_allowed(), "{command}");
    }
    for command in ["rm -rf /tmp/other", "rm -rf build", "rm -rf /tmp/w/proj/build"] {
        assert!(judge(command, &scene).is_allowed(), "{command}");
    }
}

#[test]
fn nobody_writes_the_guards_own_signs() {
    let scene = Scene::at_root("/home/user/proj", "/home/user");
    for command in [
        "rm -rf \u{e00a}/../../..",
        "cat \u{e00a}x",
        "echo \u{f8ff}",
        "rm -rf $'\\ue00a'/../../../home",
        "rm -rf \"$(printf '\\ue00aall')\"",
    ] {
        assert!(!judge(command, &scene).is_allowed(), "{command:?}");
    }
    assert!(judge("echo 'naïve — 日本語 🦀'", &scene).is_allowed());
}
