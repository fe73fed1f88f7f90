# Ten minutes of random faults from a printed seed: nothing hangs, nothing is lost without a name, memory stays flat
# weight 60

# below N: a number from 0 to N-1, the same ones for the same seed.
state=$seed
below() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    number=$((state / 65536 % $1))
}

row "ten minutes, seed $seed" 'no hang over 5 s, every frame accounted for, memory flat, given back'
echo "   seed $seed"
board 1
until_end=$(($(now_ms) + 600000))
rounds=0
peak=0
while [ "$(now_ms)" -lt "$until_end" ]; do
    rounds=$((rounds + 1))
    [ -e /sys/bus/usb/devices/1-1 ] || plug 1
    below 10
    case $number in
    0) faults= ;;
    1) faults='--fault byte-loss=0.00005' ;;
    2) faults='--fault burst-loss=0.00002' ;;
    3) faults='--fault duplicate-packet=0.0005' ;;
    4) faults='--fault nul-bytes=0.0001' ;;
    5) faults='--fault extract-error=7' ;;
    6) faults='--fault overflow-bin=9' ;;
    7) faults='--fault reset-after=40' ;;
    8) faults='--fault piece=1-7' ;;
    9) faults='--fault misaligned=5' ;;
    esac
    below 4
    if [ "$number" -gt 0 ]; then settings='--zones 4x4 --bins 8 --rate 5'; else settings=; fi
    echo "   round $rounds: $faults $settings"
    capturing a $settings
    within 10 bound 1 0 usbfs
    firmware 1 --seed "$rounds" $faults
    must "frames come (round $rounds, $faults)" within 40 has_lines a 2
    below 20
    sleep $((4 + number))
    kb=$(memory "$(program_of a)")
    [ "${kb:-0}" -le "$peak" ] || peak=$kb
    [ "$rounds" -ne 3 ] || early=$peak
    below 5
    echo "   end $number"
    before=$(now_ms)
    case $number in
    0) kill -INT "$(program_of a)" ;;
    1) kill -TERM "$(program_of a)" ;;
    2) unplug 1 ;;
    3) rig-board --reset "$(node 1)" && sleep 1 && kill -INT "$(program_of a)" ;;
    4) echo 0 >/sys/bus/usb/devices/1-1/authorized && within 10 dead "$(program_of a)" && echo 1 >/sys/bus/usb/devices/1-1/authorized ;;
    esac
    must "ends (round $rounds)" within 10 dead "$(program_of a)"
    took=$(($(now_ms) - before))
    must "within 5 s (round $rounds: $took ms)" test "$took" -le 5000
    must "whole lines (round $rounds)" whole a
    must "ledger (round $rounds, $faults)" ledger a
    cat /tmp/must.out
    power_off 1
    [ -e /sys/bus/usb/devices/1-1 ] && must "given back (round $rounds)" given_back 1
done
echo "   $rounds rounds, memory after three rounds at most $early kB, in the end $peak kB"
must 'many rounds' test "$rounds" -ge 20
must 'memory is known' test "$early" -gt 1000
must 'memory flat' test "$peak" -le $((early + 2048))
[ -e /sys/bus/usb/devices/1-1 ] || plug 1
firmware 1
must 'usable' usable 1
