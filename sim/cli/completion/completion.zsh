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

_faultline() {
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
