#!/usr/bin/env bash
# endings.sh LIBRARIES LAUNCHER... PROGRAM: starts each ending of the program with and without LIBRARIES preloaded. The
# job must end with the same status, in bounded time, and leave no more files in /dev/shm. Run it with its own /dev/shm.
set -u
libraries=$1
program=${*: -1}
shift
launcher=("${@:1:$#-1}")
failed=0

files_in_shm() { find /dev/shm -type f | wc -l; }

run() { # LIBRARIES ENDING: sets status, ends and files
  local before output
  before=$(files_in_shm)
  output=$(timeout -k 5 60 "${launcher[@]}" env ${1:+LD_PRELOAD="$1"} ADCL_INTERPOSE_BUDGET=1000000 "$program" "$2" \
    2>/dev/null)
  status=$?
  ends=$(grep -c 'the end' <<<"$output")
  files=$(($(files_in_shm) - before))
}

for ending in killed aborts after_finalize twice none; do
  run "" $ending
  plain_status=$status plain_ends=$ends plain_files=$files
  run "$libraries" $ending
  printf '%s: status %d, %d ranks reach the end, %d files\n' $ending "$status" "$ends" "$files"
  if ((status == 124 || status != plain_status || ends != plain_ends || files > plain_files)); then
    printf '%s: without the interposer: status %d, %d, %d\n' $ending "$plain_status" "$plain_ends" "$plain_files"
    failed=1
  fi
done
exit $failed
