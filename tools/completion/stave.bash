# Completion of stave, etrace-decode and etrace-diagram for bash 4 or newer. It needs nothing else:
# source it, or install it under all three names where the bash-completion package looks.
#
# What is offered is held against --help by tests/cli/test_manual.py. Names of files are left to
# readline, which knows about blanks, quotes and ~.

_stave_offer() { # WORDS: those that begin as what is there
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_stave() {
    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[0]##*/} first=1
    local expecting="" operands_only="" options i
    COMPREPLY=()

    if [[ $command != etrace-* ]]; then
        if ((COMP_CWORD == 1)); then
            case $cur in
                -*) _stave_offer "--help --version" ;;
                *) _stave_offer "decode diagram export ls report roots tree verify recover pack" ;;
            esac
            return
        fi
        command=${COMP_WORDS[1]} first=2
    fi

    # The option whose argument is to come. An equals sign is a word: --csv=FILE is
    # three.
    for ((i = first; i < COMP_CWORD; i++)); do
        if [[ -n $expecting ]]; then
            [[ ${COMP_WORDS[i]} == "=" ]] || expecting=""
        elif [[ -z $operands_only ]]; then
            case ${COMP_WORDS[i]} in
                --) operands_only=yes ;;
                -o | --csv | --stats | --output | --from | --to | --lane | --name | --trace | \
                    --depth | --level | --title | --format | --id | --where | --min-dur | --limit | --session) expecting=${COMP_WORDS[i]} ;;
                --slowest) [[ $command != roots ]] || expecting=${COMP_WORDS[i]} ;;
            esac
        fi
    done
    [[ -z $expecting || $cur != "=" ]] || cur=""

    case $command$expecting in
        decode) options="-o --csv --stats --strict --help --version" ;;
        diagram) options="-o --output --title --strict --help --version" ;;
        export)
            options="--format -o --output --from --to --min-dur --lane --name --no-args --spans"
            options+=" --session --strict --help --version"
            ;;
        ls) options="--json --strict --help --version" ;;
        report)
            options="--from --to --lane --name --limit --spans --session --json --strict --help"
            options+=" --version"
            ;;
        roots)
            options="--slowest --name --where --min-dur --from --to --limit --json --strict --help"
            options+=" --version"
            ;;
        tree)
            options="--trace --slowest --id --name --where --depth --spans --session --json --strict"
            options+=" --help --version"
            ;;
        verify) options="--help --version" ;;
        recover) options="-o --help --version" ;;
        pack) options="-o --level --help --version" ;;
        etrace-decode) options="--output --strict --help --version" ;;
        etrace-diagram) options="-o --output --title --strict --help --version" ;;
        decode-o | recover-o | pack-o | decode--csv | diagram-o | diagram--output | \
            export-o | export--output | etrace-diagram-o | etrace-diagram--output)
            compopt -o default
            return
            ;;
        etrace-decode--output) compopt -o dirnames; return ;;
        decode--stats) _stave_offer "json"; return ;;
        export--format) _stave_offer "speedscope chrome perfetto folded pprof otlp"; return ;;
        *) return ;;
    esac
    if [[ -z $operands_only && $cur == -* ]]; then
        _stave_offer "$options"
    else
        compopt -o default
    fi
}

complete -F _stave stave etrace-decode etrace-diagram
