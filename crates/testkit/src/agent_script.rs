//! The shell script that stands for the model: what every scripted agent knows before its own part begins.

use std::path::Path;

/// `review MET COMMENT [EVIDENCE]` judges all criteria of the prompt alike; `approve` and `refuse COMMENT` are
/// its short forms; `handoff JSON` hands anything over.
const WORDS: &str = r###"
handoff() { printf '```ralph-handoff%s\n%s\n```\n' "$SEAL" "$1"; }
review() {
  rulings=$(awk -v met="$1" -v comment="$2" -v evidence="${3-src/main.txt:1}" '
    /^## / { judged = ($0 == "## Criteria to judge") }
    judged && /^[0-9]+\. / {
      printf "%s{\"number\":%d,\"criterion\":\"as numbered\",\"met\":%s,\"evidence\":\"%s\",\"comment\":\"%s\"}",
        comma, $1, met, evidence, comment
      comma = ","
    }' "$PROMPT")
  handoff "{\"criteria\":[$rulings],\"findings\":[],\"summary\":\"scripted\"}"
}
approve() { review true ''; }
refuse() { review false "$1"; }
"###;

/// The whole script: it counts the call, keeps its prompt and the plan file of that moment, finds out what is wanted
/// of whom, then does what the test wants. `reviewer` runs instead of `agent` where the prompt asks for a review.
///
/// Variables: `STATE` and `WORK` (folders), `N` (which call), `PROMPT` (file), `TASK`, `KIND` (`review`, `fix` or
/// `implement`), `NTH` (which call of that kind for that task), `SEAL`
/// (the word of a review, after a space).
pub(crate) fn agent_script(state: &Path, work: &Path, agent: &str, reviewer: &str) -> String {
    let (state, work) = (state.display(), work.display());
    format!(
        "#!/bin/sh\nSTATE='{state}'\nWORK='{work}'\n{WORDS}\
         echo call >> \"$STATE/calls\"\nN=$(wc -l < \"$STATE/calls\" | tr -d ' ')\n\
         PROMPT=\"$STATE/prompt.$N\"\ncat > \"$PROMPT\"\n\
         cp \"$WORK/.ralph/plan.json\" \"$STATE/plan.$N\" 2>/dev/null\n\
         SEAL=$(sed -n 's/.*`ralph-handoff\\( [0-9a-f]*\\)`, holding.*/\\1/p' \"$PROMPT\" | tail -n 1)\n\
         TASK=$(grep -o 'T-[0-9]*' \"$PROMPT\" | head -n 1)\nKIND=implement\n\
         grep -q '^## Findings to answer' \"$PROMPT\" && KIND=fix\n\
         grep -q '^# Review of task ' \"$PROMPT\" && KIND=review\n\
         echo \"$KIND $TASK\" >> \"$STATE/kinds\"\n\
         NTH=$(grep -c -x \"$KIND $TASK\" \"$STATE/kinds\")\n\
         if [ \"$KIND\" = review ]; then\n:\n{reviewer}\nelse\n:\n{agent}\necho done\nfi\n"
    )
}
