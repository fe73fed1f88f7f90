# Sourced by scripts/rig: shares the scenarios out among guests, prints their rows as they come, and judges.

# What an emulated processor is slow at and nobody here needs: defences against leaks of a real one, string instructions that it plays
# byte by byte, tests of the kernel's own ciphers; and programs at other addresses each time, each to be translated anew.
cheap="mitigations=off clearcpuid=rep_good,erms,fsrm norandmaps cryptomgr.notests apparmor=0 audit=0"

guests= # process ids
readers=
stop() {
    for pid in $guests; do kill "$pid" 2>/dev/null || true; done
    wait
}

# share N SCENARIO...: N lines of scenarios, about as long to play each: the longest first, always to the guest that has least.
share() {
    count=$1
    shift
    for scenario in "$@"; do
        echo "$(sed -n 's/^# weight \([0-9]*\)$/\1/p' "$scenarios/$scenario.sh") $scenario"
    done | sort -k1,1nr -s | awk -v n="$count" '
        { least = 1; for (i = 2; i <= n; i++) if (load[i] + 0 < load[least] + 0) least = i
          load[least] += $1 + 5; names[least] = names[least] " " $2 }
        END { for (i = 1; i <= n; i++) if (names[i] != "") print names[i] }'
}

# start GUEST SCENARIO...: boots one that plays these; its rows go through the pipe GUEST/rows.
start() {
    guest=$1
    shift
    mkdir -p "$guest/files/rig"
    echo "$*" >"$guest/files/rig/chosen"
    archive "$guest/files" "$guest/chosen.cpio"
    cat "$base" "$run" "$guest/chosen.cpio" >"$guest/initrd"
    mkfifo "$guest/rows"
    report "$guest" "$@" <"$guest/rows" &
    readers="$readers $!"
    # Time in the guest counts instructions (1 ns each) and skips idleness, not the machine's seconds: a busy machine makes the run
    # longer and changes nothing in it. The guest ends with this shell, however that ends.
    setpriv --pdeathsig TERM timeout -k 5 "$wall_limit" qemu-system-x86_64 -nodefaults -display none -no-reboot \
        -machine q35 -accel tcg -cpu max -m 768 -icount shift=0,sleep=off \
        -kernel "$linux" -initrd "$guest/initrd" -append "console=ttyS0 quiet panic=-1 random.trust_cpu=on $cheap" \
        -serial "file:$guest/console.log" -serial stdio </dev/null >"$guest/rows" 2>"$guest/qemu.log" &
    guests="$guests $!"
}

# report GUEST SCENARIO...: prints rows, each in one piece, and keeps how they went.
report() {
    guest=$1
    shift
    missing=" $* "
    while IFS='|' read -r kind scenario word ms done seen problem; do
        case $kind in
        row)
            echo "$word" >>"$guest/results"
            [ "$word" = ok ] || problem=$(printf '\n                NOT: %s' "$problem")
            printf '%-4s %3d.%d s  %-10s %s\n                -> %s%s\n' \
                "$word" $((ms / 1000)) $((ms / 100 % 10)) "$scenario" "$done" "$seen" "$problem"
            ;;
        played) missing=$(echo "$missing" | sed "s/ $scenario / /") ;;
        esac
    done
    for scenario in $missing; do
        echo FAIL >>"$guest/results"
        echo "FAIL           $scenario did not come to its end"
    done
}

boot_and_judge() {
    trap stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    rm -rf "$rig"/guest-*
    number=0
    share "$jobs" $chosen >"$rig/shares"
    while read -r names; do
        number=$((number + 1))
        start "$rig/guest-$number" $names
    done <"$rig/shares"
    for pid in $guests; do wait "$pid" || echo "a guest ended with status $?"; done
    guests=
    for pid in $readers; do wait "$pid"; done
    passed=$(cat "$rig"/guest-*/results | grep -c '^ok$' || true)
    failed=$(cat "$rig"/guest-*/results | grep -c '^FAIL$' || true)
    if [ "$failed" -gt 0 ]; then
        cat "$rig"/guest-*/qemu.log
        echo "what the failed rows saw (all of it in $rig/guest-*/console.log):"
        awk '/^-- /{ head = $0 } /^   NOT: /{ if (head != "") print head; head = "" } /^   (NOT|asked): |^      /' "$rig"/guest-*/console.log
        for console in "$rig"/guest-*/console.log; do tail -n 5 "$console"; done
    fi
    step "all of it in $(since "$began"); seed $seed"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
