# Completion of faultline in bash, written by: faultline completion bash

_faultline_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

_faultline_paths() {
  compopt -o filenames 2> /dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

# Scenario paths of --set, which a = follows.
_faultline_set() {
  compopt -o nospace 2> /dev/null
  _faultline_words "#SET_PATHS#"
}

# What can follow PATH= of --set.
_faultline_values() {
  case $1 in
#SET_VALUES#
    *) ;;
  esac
}

# The store: of the words of the command line the first that is an SQLite file.
_faultline_store() {
  local word start
  for word in "${COMP_WORDS[@]:2}"; do
    word=${word/#\~\//$HOME/}
    if [[ -f $word && -r $word ]] && IFS= read -r -N 15 start < "$word" &&
      [[ $start == 'SQLite format 3' ]]; then
      store=$word
      return
    fi
  done
  return 1
}

# The metrics of the store, or the paths that were swept in it; commas stand between several.
_faultline_stored() {
  local store words before=
  if ! _faultline_store; then return 0; fi
  if [[ $current == *,* ]]; then before=${current%,*},; fi
  words=$("${COMP_WORDS[0]}" completion "$1" --store "$store" 2> /dev/null)
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current##*,}")
}

# What can follow an option; false if it takes nothing.
_faultline_option() {
  case $1 in
#OPTIONS#
    *) return 1 ;;
  esac
}

# What can stand without an option.
_faultline_argument() {
  case $1 in
#ARGUMENTS#
    *) ;;
  esac
}

# The names of the options of a verb.
_faultline_names() {
  case $1 in
#NAMES#
    *) ;;
  esac
}

_faultline() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} before=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _faultline_words "#VERBS# --help --version"
    return
  fi
  # Bash takes the = of --option=value and of --set PATH=VALUE for a word.
  if [[ $current == = ]]; then
    current=
    before=$previous
  elif [[ $previous == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $before == --* ]]; then
    previous=$before
  elif [[ -n $before ]]; then
    _faultline_values "$before"
    return
  fi
  local verb=${COMP_WORDS[1]}
  if [[ $verb == faults ]] && ((COMP_CWORD > 2)); then verb="faults ${COMP_WORDS[2]}"; fi
  if [[ $previous == --* ]] && _faultline_option "$verb $previous"; then return; fi
  if [[ $current == -* ]]; then
    _faultline_words "$(_faultline_names "$verb")"
  else
    _faultline_argument "$verb"
  fi
}

complete -F _faultline faultline
