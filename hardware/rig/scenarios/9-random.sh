# Ten minutes of random faults from a printed seed: nothing hangs, nothing is lost without a name, memory stays flat
# weight 100

# below N: a number from 0 to N-1, the same ones for the same seed.
state=$seed
below() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    number=$((state / 65536 % $1))
}
# goes_on SECONDS: for so long the program takes what the board says, and never writes nothing for longer than `pause` seconds.
goes_on() {
    round_end=$(($(now_ms) + $1 * 1000))
    took_ms=$(now_ms)
    wrote_ms=$took_ms
    taken=0
    written=0
    while [ "$(now_ms)" -lt "$round_end" ]; do
        sleep 2
        set -- $(stat -c %s /tmp/sent.9 /tmp/a.jsonl)
        now=$(now_ms)
        [ "$1" -eq "$taken" ] || took_ms=$now
        [ "$2" -eq "$written" ] || wrote_ms=$now
        taken=$1
        written=$2
        [ $((now - took_ms)) -le 5000 ] || { echo "no byte taken for $((now - took_ms)) ms"; return 1; }
        [ $((now - wrote_ms)) -le "$pause" ] || { echo "no frame for $((now - wrote_ms)) ms"; return 1; }
    done
}

row "ten minutes, seed $seed" 'no hang over 5 s, every frame accounted for, memory flat, given back'
echo "   seed $seed"
until_end=$(($(now_ms) + 600000))
rounds=0
peak=0
while [ "$(now_ms)" -lt "$until_end" ]; do
    rounds=$((rounds + 1))
    # A board that restarts is configured anew: until then it has sent nothing that was wanted for up to ten seconds.
    pause=5000
    below 10
    case $number in
    0) faults= ;;
    1) faults=byte-loss=0.00005 ;;
    2) faults=burst-loss=0.00002 ;;
    3) faults=duplicate-packet=0.0005 ;;
    4) faults=nul-bytes=0.0001 ;;
    5) faults=extract-error=7 ;;
    6) faults=overflow-bin=9 ;;
    7) faults=reset-after=40 pause=10000 ;;
    8) faults=ff-bytes=0.0001 ;;
    9) faults=misaligned=5 ;;
    esac
    below 6
    if [ "$number" -gt 0 ]; then settings='--zones 4x4 --bins 8 --rate 5'; else settings=; fi
    echo "   round $rounds: $faults $settings"
    chip_seed=$rounds
    chip 9 v2-1 $faults
    capturing a $settings
    must "frames come (round $rounds, $faults)" within 40 has_lines a 2
    below 20
    must "goes on (round $rounds, $faults)" goes_on $((4 + number))
    kb=$(memory "$(program_of a)")
    [ "${kb:-0}" -le "$peak" ] || peak=$kb
    [ "$rounds" -ne 3 ] || early=$peak
    below 5
    echo "   end $number"
    before=$(now_ms)
    case $number in
    0) kill -INT "$(program_of a)" ;;
    1) kill -TERM "$(program_of a)" ;;
    2) chip_gone 9 ;;
    3) rig-board --reset "$(node 9)" && sleep 1 && kill -INT "$(program_of a)" ;;
    4) echo 0 >/sys/bus/usb/devices/9-1/authorized && within 10 dead "$(program_of a)" && echo 1 >/sys/bus/usb/devices/9-1/authorized ;;
    esac
    must "ends (round $rounds)" within 10 dead "$(program_of a)"
    took=$(($(now_ms) - before))
    must "within 5 s (round $rounds: $took ms)" test "$took" -le 5000
    must "whole lines (round $rounds)" whole a
    must "ledger (round $rounds, $faults)" ledger a 9
    sed 's/^/   /' /tmp/must.out
    [ "$number" -eq 2 ] || {
        must "given back (round $rounds)" given_back 9
        chip_gone 9
    }
done
echo "   $rounds rounds, memory after three rounds at most $early kB, in the end $peak kB"
must 'many rounds' test "$rounds" -ge 20
must 'memory is known' test "$early" -gt 1000
must 'memory flat' test "$peak" -le $((early + 2048))
must 'nothing runs' nothing_runs
