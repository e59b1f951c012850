#compdef faultline
# Completion of faultline in zsh, written by: faultline completion zsh

# Scenario paths of --set, and what can follow their =.
_faultline_set() {
  if compset -P '*='; then
    case ${${IPREFIX%=}##*=} in
#SET_VALUES#
    esac
  else
    compadd -S = -- #SET_PATHS#
  fi
}

# What the first SQLite file on the command line has; commas stand between several.
_faultline_stored() {
  local word store
  for word in ${(Q)words[2,-1]}; do
    word=${word/#\~\//$HOME/}
    if [[ -f $word && $(head -c 15 -- $word 2> /dev/null) == 'SQLite format 3' ]]; then
      store=$word
      break
    fi
  done
  [[ -n $store ]] || return 1
  compset -P '*,'
  compadd -- ${(f)"$($program completion $1 --store $store 2> /dev/null)"}
}

_faultline_metrics() { _faultline_stored metrics }

_faultline_paths() { _faultline_stored paths }

_faultline() {
  local program=${(Q)words[1]}
  local -a verbs
  verbs=(
#VERBS#
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=${words[2]}
  shift words
  (( CURRENT-- ))
  if [[ $verb == faults ]] && (( CURRENT > 2 )); then
    verb="faults ${words[2]}"
    shift words
    (( CURRENT-- ))
  fi
  case $verb in
#ARGUMENTS#
  esac
}

_faultline "$@"
