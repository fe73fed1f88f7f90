# Sourced by every scenario: rows of the table, and what must be true in them.

# row DONE SEEN: begins a row. What is done, and what must be seen for it to pass.
row() {
    end_row
    row_done=$1
    row_seen=$2
    row_problem=
    row_checks=0
    row_began=$(now_ms)
    echo "-- $scenario: $1"
}

# must WHAT COMMAND...: a thing that the row needs. Every one is tried; the first that is not so names the row's failure.
must() {
    what=$1
    shift
    row_checks=$((row_checks + 1))
    if "$@" >/tmp/must.out 2>&1; then return 0; fi
    echo "   NOT: $what"
    echo "   asked: $*"
    sed 's/^/      /' /tmp/must.out | tail -n 25
    [ -n "$row_problem" ] || row_problem=$what
    return 1
}

# must_not WHAT COMMAND...: the opposite; COMMAND must fail.
must_not() {
    what=$1
    shift
    must "$what" fails "$@"
}
fails() { ! "$@"; }

# end_row: says how the row went. A row without a check has shown nothing.
end_row() {
    [ -n "$row_done" ] || return 0
    [ "$row_checks" -gt 0 ] || row_problem="this row checks nothing"
    [ -z "$row_problem" ] && word=ok || word=FAIL
    echo "row|$scenario|$word|$(($(now_ms) - row_began))|$row_done|$row_seen|$row_problem" >/dev/ttyS1
    row_done=
}

# Milliseconds since the guest started.
now_ms() {
    read -r seconds rest </proc/uptime
    echo "${seconds%.*}${seconds#*.}0"
}

# within SECONDS COMMAND...: true as soon as it is, false when it is not by then. Waiting costs the guest nothing.
within() {
    until_ms=$(($(now_ms) + $1 * 1000))
    shift
    while ! "$@"; do
        [ "$(now_ms)" -lt "$until_ms" ] || return 1
        usleep 100000
    done
}

# member FILE NAME: the value of a member of a JSON object on one line; of the first one by that name.
member() { sed -n "1{s/.*\"$2\":\\(\"[^\"]*\"\\|[^,}]*\\).*/\\1/;s/\"//g;p;}" "$1"; }

# same A B: both texts, said when they differ.
same() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }

# text FILE PATTERN: the file has it; shown when not.
text() { grep -q -- "$2" "$1" || { echo "no '$2' in:"; cat "$1"; return 1; }; }
