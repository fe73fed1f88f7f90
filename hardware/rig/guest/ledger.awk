# awk -v emitted=N -v refused=N -v gaps=N -f ledger.awk SENT JSONL: does the program's account of frames agree with what was sent?
#
# Counts the frames in SENT apart from the program's decoder: whole ones (a mark, then 16 or 64 rows in order, of one width) and torn
# ones. Of those between the first and the last emitted frame, each one must be emitted, refused, or stand beside a gap.

function finish() {
    if (!open) return
    whole = (rows == 16 || rows == 64) && !torn
    kind[count] = whole
    first_row[count] = head
    count++
    open = torn = rows = 0
}

BEGIN { count = 0 }
FNR == 1 { part++ }
part == 1 && /D$/ {
    finish()
    open = 1
    next
}
# A line of the firmware's own words ends a frame, whole or not.
part == 1 && /^[A-Z]/ {
    finish()
    next
}
part == 1 && open {
    if ($0 !~ /^[0-9]+ -?[0-9]+ -?[0-9]+( -?[0-9]+)+$/ || $1 != rows || (rows > 0 && NF != width)) {
        torn = 1
        next
    }
    width = NF
    if (rows == 0) {
        head = $0
        gsub(/ -[0-9]+/, " 0", head)
    }
    rows++
    next
}

part == 2 && FNR == 1 { finish() }
part == 2 {
    zone = $0
    sub(/.*"zoneId":0,/, "", zone)
    sub(/\].*/, "", zone)
    distance = ambient = bins = zone
    sub(/.*"distanceM":/, "", distance)
    sub(/.*"ambient":/, "", ambient)
    sub(/.*"histogram":\[/, "", bins)
    gsub(/,/, " ", bins)
    row = "0 " (ambient + 0) " " int(distance * 1000 + 0.5) " " bins
    if (FNR == 1) first = row
    last = row
}

END {
    for (i = 0; i < count; i++) if (first_row[i] == first) { from = i; break }
    for (i = count - 1; i >= 0; i--) if (first_row[i] == last) { to = i; break }
    if (i < 0) { print "the last frame was never sent"; exit 1 }
    for (i = from; i <= to; i++) if (kind[i]) entire++; else torn_ones++
    print entire + 0 " whole and " torn_ones + 0 " torn frames sent; " emitted " emitted, " refused " refused, " gaps " gaps"
    # A torn frame that lost a digit inside a number is whole to anybody: never more emitted than marks were sent.
    if (emitted > to - from + 1) { print "more were emitted than sent"; exit 1 }
    if (entire + torn_ones > emitted + refused + gaps) { print "some have no name"; exit 1 }
}
