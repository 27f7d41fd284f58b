#!/usr/bin/env bash
# Installs attest-audit, and removes it again. `install.sh --help` says how.
#
# What goes where is decided first, in a folder of its own; then the manifest is written, then the
# files, each beside its place and renamed into it. The manifest names every file with the SHA-256 it
# was installed with and every folder that was made: `--uninstall` removes that and nothing else.
set -euo pipefail
umask 022
export LC_ALL=C
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"

usage() {
  cat <<'TEXT'
usage: pipelines/install/install.sh [options]

  --prefix DIR      Where to: DIR/bin, DIR/share, DIR/lib. (default: /usr/local)
  --sysconfdir DIR  Where attest-audit/nightly.yaml and environment go, if they are not there yet.
                    (default: /etc for the prefixes /usr and /usr/local, else PREFIX/etc)
  --destdir DIR     Puts everything below DIR, for a package; the files still say PREFIX.
  --binary FILE     Installs this program instead of building one.
  --systemd         Installs the service, its timer and its user's description.
  --no-systemd      Does not. (default: --systemd where systemd runs or --destdir is given, for the
                    prefixes /usr and /usr/local)
  --cron            Installs SYSCONFDIR/cron.d/attest-audit.
  --uninstall       Removes what was installed with the same --prefix and --destdir. Files that were
                    changed since, state and reports stay.
  --purge           With --uninstall: these go, too.
  -h, --help        Shows this.

Writes below PREFIX and SYSCONFDIR only. A build installs Debian packages that it misses
(pipelines/setup) and writes into .build-install of the checkout. Nothing is enabled or started.
TEXT
}

fail() {
  printf 'install.sh: error: %s\n' "$1" >&2
  printf 'hint: %s\n' "$2" >&2
  exit "${3:-70}"
}
note() { printf 'install.sh: note: %s\n' "$1" >&2; }

prefix=/usr/local sysconfdir='' destdir='' binary='' systemd='' cron='' uninstall='' purge=''
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix=* | --sysconfdir=* | --destdir=* | --binary=*)
      option="${1%%=*}" argument="${1#*=}"
      shift
      set -- "$option" "$argument" "$@"
      continue ;;
    --prefix | --sysconfdir | --destdir | --binary)
      if [ -z "${2:-}" ]; then fail "$1 has no value" "$1 PATH" 64; fi
      case "$1" in
        --prefix) prefix="$2" ;;
        --sysconfdir) sysconfdir="$2" ;;
        --destdir) destdir="$2" ;;
        --binary) binary="$2" ;;
      esac
      shift 2 ;;
    --systemd) systemd=yes; shift ;;
    --no-systemd) systemd=no; shift ;;
    --cron) cron=yes; shift ;;
    --uninstall) uninstall=yes; shift ;;
    --purge) purge=yes; shift ;;
    -h | --help) usage; exit 0 ;;
    *) fail "unknown option $1" "use install.sh --help to list them" 64 ;;
  esac
done
[ -z "$purge" ] || [ -n "$uninstall" ] || fail "--purge removes" "--uninstall --purge" 64

# A folder that can stand in units, crontabs and man pages: absolute, nothing to quote, no detours.
checked() {
  local path="$2"
  while [[ "$path" == */ ]]; do path="${path%/}"; done
  [[ "$path" =~ ^(/[A-Za-z0-9._+-]+)+$ && ! "$path/" =~ /\.\.?/ ]] || fail \
    "$1 $2 is not an absolute path of letters, digits and . _ + -" "$1 /usr/local" 64
  printf '%s' "$path"
}
prefix="$(checked --prefix "$prefix")"
is_system=''
case "$prefix" in /usr | /usr/local) is_system=yes ;; esac
if [ -z "$sysconfdir" ]; then sysconfdir="${is_system:+/etc}"; fi
sysconfdir="$(checked --sysconfdir "${sysconfdir:-$prefix/etc}")"
[[ "$destdir" != *$'\n'* ]] || fail "--destdir has a line break" "name another folder" 64
case "$destdir" in '' | /*) ;; *) destdir="$PWD/$destdir" ;; esac
while [[ "$destdir" == */ ]]; do destdir="${destdir%/}"; done

manifest="$prefix/share/attest-audit/install.manifest"
state=/var/lib/attest-audit
title='attest-audit install manifest 1'

# The manifest of an earlier installation: `file SHA256 PATH`, `config SHA256 PATH`, `dir PATH`,
# `state PATH`.
declare -A old_class=() old_hash=()
old_dirs=() old_state=''
if [ -f "$destdir$manifest" ]; then
  {
    IFS= read -r line
    [ "$line" = "$title" ] || fail "$destdir$manifest is of another version" \
      "uninstall with the install.sh that wrote it"
    while read -r class first path; do
      case "$class" in
        file | config) old_class[$path]=$class old_hash[$path]=$first ;;
        dir) old_dirs+=("$first") ;;
        state) old_state="$first" ;;
        *) fail "$destdir$manifest is damaged: $class" "install once more, then uninstall" ;;
      esac
    done
  } <"$destdir$manifest"
fi

exists() { [ -e "$destdir$1" ] || [ -L "$destdir$1" ]; }
hash_of() { sha256sum <"$1" | cut -d ' ' -f 1; }
# Whether a file is still what was installed.
is_ours() {
  [ -f "$destdir$1" ] && [ "$(hash_of "$destdir$1")" = "${old_hash[$1]:-}" ]
}

# Removal ------------------------------------------------------------------------------------------

if [ -n "$uninstall" ]; then
  [ -f "$destdir$manifest" ] || fail "nothing is installed: there is no $destdir$manifest" \
    "name the --prefix and --destdir that it was installed with" 66
  if [ -z "$destdir" ] && [ -d /run/systemd/system ] \
    && systemctl is-enabled --quiet attest-audit.timer 2>/dev/null \
    && [ -n "${old_class[$prefix/lib/systemd/system/attest-audit.timer]:-}" ]; then
    fail "attest-audit.timer is enabled" "systemctl disable --now attest-audit.timer, then again"
  fi
  kept=()
  for path in "${!old_class[@]}"; do
    exists "$path" || continue
    if [ -n "$purge" ] || is_ours "$path"; then rm -f -- "$destdir$path"; else kept+=("$path"); fi
  done
  if [ -n "$old_state" ] && exists "$state"; then
    if [ -n "$purge" ]; then rm -rf -- "$destdir$state"; else kept+=("$state"); fi
  fi
  rm -f -- "$destdir$manifest"
  for ((i = ${#old_dirs[@]} - 1; i >= 0; i--)); do
    rmdir -- "$destdir${old_dirs[i]}" 2>/dev/null || true
  done
  echo "removed attest-audit from $destdir$prefix"
  if [ "${#kept[@]}" -gt 0 ]; then
    printf '%s\n' "${kept[@]}" | sort | while IFS= read -r path; do echo "kept $destdir$path"; done
  fi
  exit 0
fi

# The program --------------------------------------------------------------------------------------

if [ -z "$binary" ]; then
  command -v swift >/dev/null 2>&1 || fail "there is no swift on the PATH" \
    "build as a user who has it, then: install.sh --binary .build-install/release/attest-audit" 69
  "$root/pipelines/setup"
  "$here/build" "$root/.build-install/installed" || fail "the build failed" "see above"
  binary="$root/.build-install/installed/attest-audit"
fi
if [ ! -f "$binary" ] || [ ! -x "$binary" ]; then
  fail "$binary is not a program" "--binary FILE" 66
fi
binary="$(cd "$(dirname "$binary")" && pwd)/$(basename "$binary")"
version="$("$binary" --version 2>/dev/null </dev/null || true)"
[[ "$version" =~ ^"attest-audit "[0-9A-Za-z.+-]+$ ]] \
  || fail "$binary does not say that it is attest-audit" "$binary --version" 65
command -v python3 >/dev/null 2>&1 || fail "there is no python3, which writes the man pages" \
  "apt-get install python3" 69
foreign="$("$here/depends" --foreign "$binary")"
if [ -n "$foreign" ]; then
  note "$binary needs ${foreign%%$'\n'*} outside the system's folders; the service may not run it"
  note "pipelines/install/build makes one that needs no Swift"
fi

# What goes where ----------------------------------------------------------------------------------

if [ -z "$systemd" ]; then
  systemd=no
  if [ -n "$is_system" ] && { [ -n "$destdir" ] || [ -d /run/systemd/system ]; }; then systemd=yes; fi
fi

stage="$(mktemp -d)"
trap 'rm -rf -- "$stage"' EXIT
declare -A class_of=() mode_of=()

# add CLASS MODE PATH: standard input becomes the file.
add() {
  mkdir -p "$stage$(dirname "$3")"
  cat >"$stage$3"
  class_of[$3]="$1" mode_of[$3]="$2"
}
# add_text CLASS PATH FROM: a text, with the folders of this installation instead of the usual ones.
add_text() {
  sed -E -e "s|/usr/local/|$prefix/|g" -e "s|/usr/local\$|$prefix|" \
    -e "s|/etc/attest(\\\\?-)audit|$sysconfdir/attest\\1audit|g" \
    -e "s|/etc/cron\\.d/attest|$sysconfdir/cron.d/attest|g" "$3" >"$stage/text"
  add "$1" 644 "$2" <"$stage/text"
}

add file 755 "$prefix/bin/attest-audit" <"$binary"

for shell in bash zsh fish; do
  case $shell in
    bash) path="$prefix/share/bash-completion/completions/attest-audit" ;;
    # Debian's zsh looks into site-functions below /usr/local alone.
    zsh)
      case "$prefix" in /usr) folder=vendor-completions ;; *) folder=site-functions ;; esac
      path="$prefix/share/zsh/$folder/_attest-audit" ;;
    fish) path="$prefix/share/fish/vendor_completions.d/attest-audit.fish" ;;
  esac
  "$binary" --generate-completion-script "$shell" >"$stage/made" </dev/null || true
  [ -s "$stage/made" ] \
    || fail "$binary makes no completions for $shell" "$binary --generate-completion-script $shell"
  # Completions are read by a shell and not run: without a line that names one.
  add file 644 "$path" < <(sed '1{/^#!/d}' "$stage/made")
done

mkdir "$stage/man"
python3 -B "$here/manual.py" "$binary" "$stage/man" >"$stage/made" \
  || fail "the man pages cannot be written" "see above"
while IFS= read -r page; do
  add_text file "$prefix/share/man/man1/$page" "$stage/man/$page"
done <"$stage/made"

while IFS= read -r -d '' path; do
  add file 644 "$prefix/share/attest-audit/$path" <"$root/$path"
done < <(cd "$root" && find pipelines -type f \
  \( -name '*.yaml' -o -name '*.sql' -o -path 'pipelines/schemas/*.json' \) ! -path 'pipelines/install/*' -print0)
# The pages lie beside the README there, and so its links lead to them.
pages=Sources/attest-audit/Documentation.docc
add file 644 "$prefix/share/doc/attest-audit/README.md" < <(sed "s|$pages/||g" "$root/README.md")
while IFS= read -r page; do
  add file 644 "$prefix/share/doc/attest-audit/$page" <"$root/$pages/$page"
done < <(cd "$root/$pages" && printf '%s\n' *)
for name in crontab.example logrotate.conf environment; do
  add_text file "$prefix/share/doc/attest-audit/$name" "$here/$name"
done

add config 644 "$sysconfdir/attest-audit/nightly.yaml" <"$root/pipelines/nightly.yaml"
add_text config "$sysconfdir/attest-audit/environment" "$here/environment"
if [ -n "$cron" ]; then
  add_text config "$sysconfdir/cron.d/attest-audit" "$here/crontab.example"
fi
if [ "$systemd" = yes ]; then
  for unit in attest-audit.service attest-audit.timer attest-audit-mail@.service; do
    add_text file "$prefix/lib/systemd/system/$unit" "$here/$unit"
  done
  add file 755 "$prefix/lib/attest-audit/mail-run" <"$here/mail-run"
  add_text file "$prefix/lib/systemd/system/attest-audit-notify@.service" \
    "$root/pipelines/notify/attest-audit-notify@.service"
  add file 644 "$prefix/lib/attest-audit/notify/common.sh" <"$root/pipelines/notify/common.sh"
  for recipe in slack splunk syslog; do
    add file 755 "$prefix/lib/attest-audit/notify/$recipe" <"$root/pipelines/notify/$recipe"
  done
  add file 644 "$prefix/lib/sysusers.d/attest-audit.conf" <"$here/sysusers.conf"
fi

# Configuration that exists already, and is not what an earlier installation put there, stays.
declare -A new_hash=()
kept=()
for path in "${!class_of[@]}"; do
  new_hash[$path]="$(hash_of "$stage$path")"
  if [ "${class_of[$path]}" = config ] && exists "$path" && ! is_ours "$path"; then
    kept+=("$path")
    if [ -n "${old_hash[$path]:-}" ]; then new_hash[$path]="${old_hash[$path]}"
    else unset "new_hash[$path]"; fi
    mode_of[$path]=''
  fi
done

# The folders that have to be made, or were by an earlier installation, outer ones first.
declare -A seen=() was_made=()
dirs=()
for path in "${old_dirs[@]}"; do was_made[$path]=1; done
outer() {
  local folder
  folder="$(dirname "$1")"
  if [ "$folder" = / ] || [ -n "${seen[$folder]:-}" ]; then return 0; fi
  seen[$folder]=1
  outer "$folder"
  if [ ! -d "$destdir$folder" ] || [ -n "${was_made[$folder]:-}" ]; then dirs+=("$folder"); fi
}
while IFS= read -r path; do outer "$path"; done \
  < <(printf '%s\n' "${!class_of[@]}" "$manifest" | sort)

# Writing ------------------------------------------------------------------------------------------

# write_manifest [OLD...]: what is installed now, and OLD of the earlier installation.
write_manifest() {
  {
    echo "$title"
    if [ "$systemd" = yes ] || [ -n "$cron" ] || [ -n "$old_state" ]; then echo "state $state"; fi
    for path in "${dirs[@]}"; do echo "dir $path"; done
    {
      for path in "${!new_hash[@]}"; do echo "${class_of[$path]} ${new_hash[$path]} $path"; done
      for path in "$@"; do echo "${old_class[$path]} ${old_hash[$path]} $path"; done
    } | sort -k 3
  } >"$stage/manifest"
  put "$stage/manifest" "$manifest" 644
}
# put FROM PATH MODE: unless it exists already.
put() {
  local to="$destdir$2"
  if [ -f "$to" ] && [ ! -L "$to" ] && cmp -s "$1" "$to"; then
    if [ "$(stat -c %a "$to")" != "$3" ]; then chmod "$3" "$to"; fi
    return 0
  fi
  { install -m "$3" "$1" "$to.new-$$" && mv -fT "$to.new-$$" "$to"; } || {
    rm -f -- "$to.new-$$"
    fail "$to cannot be written" "is it yours to write? else sudo, --prefix or --destdir" 73
  }
}

obsolete=()
for path in "${!old_class[@]}"; do
  if [ -z "${class_of[$path]:-}" ]; then obsolete+=("$path"); fi
done
if [ -n "$destdir" ]; then mkdir -p "$destdir"; fi
for path in "${dirs[@]}"; do
  [ -d "$destdir$path" ] || mkdir "$destdir$path" 2>/dev/null || fail \
    "$destdir$path cannot be made" "is it yours to write? else sudo, --prefix or --destdir" 73
done
made=("${dirs[@]}")
for path in "${old_dirs[@]}"; do
  if [ -z "${seen[$path]:-}" ] && [ -d "$destdir$path" ]; then dirs+=("$path"); fi
done
write_manifest "${obsolete[@]}"
while IFS= read -r path; do
  if [ -n "${mode_of[$path]}" ]; then put "$stage$path" "$path" "${mode_of[$path]}"; fi
done < <(printf '%s\n' "${!class_of[@]}" | sort)
# What this version no longer has; configuration that somebody changed stays, and stays known.
still=()
for path in "${obsolete[@]}"; do
  if is_ours "$path"; then rm -f -- "$destdir$path"
  elif exists "$path"; then still+=("$path"); fi
done
for ((i = ${#old_dirs[@]} - 1; i >= 0; i--)); do
  path="${old_dirs[i]}"
  if [ -z "${seen[$path]:-}" ] && [ -d "$destdir$path" ]; then
    rmdir -- "$destdir$path" 2>/dev/null || made+=("$path")
  fi
done
dirs=("${made[@]}")
write_manifest "${still[@]}"

echo "installed $version below $destdir$prefix"
for path in "${!class_of[@]}"; do
  if [ -n "${mode_of[$path]}" ]; then echo "  $destdir$path"; fi
done | sort
for path in "${kept[@]}" "${still[@]}"; do
  echo "kept $destdir$path, which is not as it was installed"
done
if [ -n "$destdir" ]; then exit 0; fi
if [ "$systemd" = yes ]; then
  cat <<TEXT
next:
  systemd-sysusers
  \$EDITOR $sysconfdir/attest-audit/environment
  (set -a; . $sysconfdir/attest-audit/environment; attest-audit check $sysconfdir/attest-audit/nightly.yaml)
  systemctl daemon-reload
  systemctl start attest-audit.service; journalctl -u attest-audit.service
  systemctl enable --now attest-audit.timer
TEXT
elif [ -n "$cron" ]; then
  cat <<TEXT
next:
  make the user and the folders that $sysconfdir/cron.d/attest-audit names
  \$EDITOR $sysconfdir/attest-audit/environment
  (set -a; . $sysconfdir/attest-audit/environment; attest-audit check $sysconfdir/attest-audit/nightly.yaml)
TEXT
fi
