# awk -f same-numbers.awk SENT JSONL: compares what a board's firmware sent with the frames that came of it, number by number.
#
# Written apart from the program's own decoder on purpose. Frame by frame both become one text: for each zone its number, distance,
# ambient and bins, negative ones as 0. The frames of JSONL must be frames of SENT in the same order, and no whole one that was sent
# between the first and the last of them may be missing, unless `-v missing=N` allows for N.

function finish() {
    if (open && rows == 16 || rows == 64) sent[sents++] = frame
    open = 0
    rows = 0
    frame = ""
}

BEGIN { sents = at = 0 }
FNR == 1 { part++ }

# What was lost before the mark may have left it at the end of a torn line.
part == 1 && /D$/ {
    finish()
    open = 1
    next
}
part == 1 && /^[0-9]+ -?[0-9]+ -?[0-9]+ / && open && $1 == rows {
    text = $0
    gsub(/ -[0-9]+/, " 0", text)
    known[text]
    frame = frame text "\n"
    rows++
    next
}
part == 1 {
    finish()
    next
}

part == 2 && FNR == 1 { finish() }
part == 2 {
    got = ""
    count = split($0, zones, "[{]\"zoneId\":")
    for (i = 2; i <= count; i++) {
        zone = zones[i]
        id = zone + 0
        distance = zone
        sub(/.*"distanceM":/, "", distance)
        ambient = zone
        sub(/.*"ambient":/, "", ambient)
        bins = zone
        sub(/.*"histogram":\[/, "", bins)
        sub(/\].*/, "", bins)
        gsub(/,/, " ", bins)
        got = got id " " (ambient + 0) " " int(distance * 1000 + 0.5) " " bins "\n"
    }
    frames++
    from = at
    while (at < sents && sent[at] != got) at++
    if (at == sents) {
        print "frame " frames " is none of " sents " that were sent after the one before it (" from "); rows that were never sent:"
        count = split(got, parts, "\n")
        for (i = 1; i < count; i++) if (!(parts[i] in known)) print parts[i]
        failed = 1
        exit 1
    }
    if (frames > 1) skipped += at - from
    at++
}

END {
    if (failed) exit 1
    print frames + 0 " frames of " sents + 0 " that were sent, " skipped + 0 " left out between them"
    if (frames == 0 || skipped + 0 > missing + 0) exit 1
}
