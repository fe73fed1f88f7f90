# Sourced by scripts/rig: runs the guest, prints its rows as they come, and judges.

qemu=
stop() {
    [ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
    [ -z "$qemu" ] || wait "$qemu" 2>/dev/null || true
    qemu=
    rm -f "$rig/rows"
}

boot_and_judge() {
    trap stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    cat "$base" "$run" >"$rig/initrd"
    rm -f "$rig/rows"
    mkfifo "$rig/rows"
    console=$rig/console.log
    # Time in the guest counts instructions (4 ns each) and skips idleness, not the machine's seconds: a busy machine makes the run
    # longer and changes nothing in it. The guest ends with this shell, however that ends.
    setpriv --pdeathsig TERM timeout -k 5 "$wall_limit" qemu-system-x86_64 -nodefaults -display none -no-reboot \
        -machine q35 -accel tcg -cpu max -m 768 -icount shift=2,sleep=off \
        -kernel "$vmlinuz" -initrd "$rig/initrd" -append "console=ttyS0 quiet panic=-1 random.trust_cpu=on" \
        -serial "file:$console" -serial stdio </dev/null >"$rig/rows" 2>"$rig/qemu.log" &
    qemu=$!
    passed=0
    failed=0
    missing=" $(echo $chosen) "
    while IFS="|" read -r kind scenario word ms done seen problem; do
        case $kind in
        scenario) echo "$scenario: $(title "$scenarios/$scenario.sh")" ;;
        row)
            if [ "$word" = ok ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
            printf '  %-4s %3d.%d s  %s\n                -> %s\n' "$word" $((ms / 1000)) $((ms / 100 % 10)) "$done" "$seen"
            [ "$word" = ok ] || printf '                NOT: %s\n' "$problem"
            ;;
        played) missing=$(echo "$missing" | sed "s/ $scenario / /") ;;
        esac
    done <"$rig/rows"
    wait "$qemu" && status=0 || status=$?
    qemu=
    for scenario in $missing; do
        failed=$((failed + 1))
        echo "  FAIL  $scenario did not come to its end"
    done
    if [ "$failed" -gt 0 ]; then
        [ "$status" -ne 124 ] || echo "the guest was stopped after $wall_limit s"
        cat "$rig/qemu.log"
        echo "what the failed rows saw (all of it: $console):"
        grep -a -A 60 '^   NOT: ' "$console" | grep -a '^   ' || tail -n 20 "$console"
    fi
    step "all of it in $(since "$began"); seed $seed"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
