#!/usr/bin/env bash
# kill_resume.sh GLOSSA [KILLS [SEED]]
# Trains with a checkpoint every 5 updates and kills the trainer with SIGKILL at random moments, KILLS times (default
# 200), resuming after each. After every kill:
#   - every checkpoint is whole and has the hashes of the undisturbed run at that update, and no saved update is lost;
#   - with no checkpoint yet, --resume=auto starts afresh and says so.
# A run that reaches its end must have the hashes of the undisturbed one; then the next run begins. The last run is not
# killed, and so reaches it.
set -euo pipefail

glossa=$(realpath "$1")
kills=${2:-200}
RANDOM=${3:-1}
updates=200

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "FAILED after $killed kills (seed given: ${seed:-1}): $*" >&2
  [ -f err.txt ] && tail -5 err.txt >&2
  exit 1
}
killed=0 seed=${3:-1}

"$glossa" generate toy --out toy --pairs 2000 >/dev/null
cat >tiny.yaml <<YAML
data: {train: toy/train, valid: toy/valid, source: en, target: hi, tokenizer: words, shared_vocabulary: false,
       max_tokens: 512}
model: {width: 16, heads: 2, feed_forward: 32, encoder_layers: 1, decoder_layers: 1, dropout: 0.3, tied: output}
optim: {warmup: 10}
train: {max_updates: $updates, save_every: 5u, validate_every: 20u, log_every: 5u, decode_validation: false,
        ema: 0.9}
runtime: {threads: 1}
YAML

figures() { sed -E '/"event"/d; s/"(tokens_per_s|seconds)":[^,}]*//g' "$1/metrics.jsonl"; }  # without events and times
hashes() { "$glossa" inspect "$1" --json | sed -E 's/.*("sha256":"[0-9a-f]+","state_sha256":"[0-9a-f]+").*/\1/'; }
files() { find "$1/checkpoints" -name 'update-*.ckpt' 2>/dev/null | sort; }

# The undisturbed run keeps every checkpoint. Kills come within half of its duration, so that most runs are killed more
# than once, at any update.
started=$(date +%s%N)
"$glossa" train tiny.yaml --run whole --set train.keep_checkpoints=1000 2>/dev/null
duration=$((($(date +%s%N) - started) / 1000000))  # ms
count=$(files whole | wc -l)
[ "$count" -eq $((updates / 5)) ] || fail "expected $((updates / 5)) checkpoints; got $count"
declare -A expected  # hashes of its files, computed on demand
check_file() {
  local name
  name=$(basename "$1")
  [ -n "${expected[$name]:-}" ] || expected[$name]=$(hashes "whole/checkpoints/$name")
  [ "$(hashes "$1" 2>err.txt)" = "${expected[$name]}" ] || fail "$1 differs or is not whole"
}

finished=0 early=0 newest=
while :; do
  "$glossa" train tiny.yaml --run run --resume=auto 2>err.txt &
  trainer=$!
  if [ "$killed" -lt "$kills" ]; then
    moment=$((RANDOM % (duration / 2)))
    sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
    kill -9 "$trainer" 2>/dev/null || true
  fi
  status=0
  wait "$trainer" 2>/dev/null || status=$?

  if [ -n "$newest" ]; then
    grep -q "starting afresh" err.txt && fail "a run with checkpoints started afresh"
  elif [ -s err.txt ] && grep -q "finished\|Up\. " err.txt; then
    grep -q "starting afresh" err.txt || fail "a run without a checkpoint did not say that it starts afresh"
  fi
  if [ "$status" -eq 137 ]; then
    killed=$((killed + 1))
  elif [ "$status" -ne 0 ]; then
    fail "expected exit status 0 or a kill; got $status"
  fi

  last=
  for file in $(files run); do
    check_file "$file"
    last=$(basename "$file")
  done
  [ -z "$newest" ] || [ ! "$last" \< "$newest" ] || fail "expected $newest or newer; got ${last:-nothing}"
  [ ! -L run/checkpoints/last ] || hashes run/checkpoints/last >/dev/null || fail "the link last is broken"
  newest=$last
  [ -n "$newest" ] || early=$((early + 1))

  if [ "$status" -eq 0 ]; then
    [ "$last" = "$(printf 'update-%08d.ckpt' $updates)" ] || fail "expected the end's checkpoint; got ${last:-nothing}"
    diff <(figures whole) <(figures run) \
      >err.txt || fail "metrics.jsonl differs from that of the undisturbed run"
    leftovers=$(find run -name '*.glossa-tmp')
    [ -z "$leftovers" ] || fail "temporary files are left: $leftovers"
    finished=$((finished + 1)) newest=
    rm -rf run
    [ "$killed" -lt "$kills" ] || break
  fi
done
echo "$killed kills, $early of them before the first save, $finished runs finished with the hashes of the undisturbed one"
