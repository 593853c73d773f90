# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the scripts for people share: messages, phases with times, and the few
# facts about the tree. Sourced, never run.

# shellcheck shell=bash

TEGULA_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
# shellcheck disable=SC2034  # read by the scripts that source this file
TEGULA_LLVM_MAJOR="$(sed -n 's/^set(TEGULA_LLVM_MAJOR "\([0-9]*\)")$/\1/p' \
  "$TEGULA_ROOT/cmake/LLVMVersion.cmake")"

if [[ -t 1 ]]; then
  bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' red='' plain=''
fi

# say TEXT: one line of progress.
say() { printf '%s\n' "$*"; }

# fail TEXT [MORE...]: an error with advice, one line each, then exit 1.
fail() {
  printf '%serror:%s %s\n' "$red" "$plain" "$1" >&2
  shift
  (($# == 0)) || printf '       %s\n' "$@" >&2
  exit 1
}

# usage_error TEXT: a wrong command line, exit 2.
usage_error() {
  printf '%s: %s; see --help\n' "$(basename "$0")" "$1" >&2
  exit 2
}

# show_help: the comment at the top of the script, less its licence.
show_help() {
  sed -n '/^# Usage:/,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
}

# phase TITLE COMMAND [ARG...]: runs a step under a heading and says how long it
# took. Never called in a condition, which would switch `set -e` off inside.
phase() {
  local title=$1 start=$SECONDS
  shift
  printf '%s==> %s%s\n' "$bold" "$title" "$plain"
  "$@"
  printf '    %s\n' "$(elapsed $((SECONDS - start)))"
}

# elapsed SECONDS: '42 s' or '3 min 07 s'.
elapsed() {
  if (($1 < 60)); then
    printf '%d s' "$1"
  else
    printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
  fi
}

# free_mib FOLDER: free disk space where FOLDER is, or will be.
free_mib() {
  local folder=$1
  while [[ ! -d $folder ]]; do
    folder=$(dirname "$folder")
  done
  df --output=avail -BM "$folder" | tr -dc '0-9\n' | tail -n 1
}

# need_space FOLDER MIB WHAT: stops early rather than in the middle of a build.
need_space() {
  local free
  free=$(free_mib "$1")
  ((free >= $2)) || fail "$3 needs $2 MiB of free disk space at $1, and $free MiB are free"
}

# as_root COMMAND [ARG...]: runs it as root, directly or through sudo.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif [[ -t 0 ]]; then
    sudo -- "$@"
  else
    sudo -n -- "$@"
  fi
}

can_be_root() {
  ((EUID == 0)) || { command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; }
}
