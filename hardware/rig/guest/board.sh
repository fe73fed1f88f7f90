# Sourced by every scenario: boards, what speaks on them, and the program under test.
#
# Boards 1 to 4 are gadgets of the kernel: board N hangs on dummy_hcd's controller N and is usb:N-1, and the program's own
# emulated firmware speaks through /dev/ttyGS(N-1); the kernel has four such ports. Boards 9 to 16 are rig-board on the virtual host
# controller: usb:9-1 to usb:9-8.
#
# dummy_hcd looks every 125 us for bytes while anybody waits for some: a minute of that costs this emulated processor as much as ten on
# the virtual host controller, which sleeps. So what takes long is for boards 9 to 16.

gadgets=/sys/kernel/config/usb_gadget
# A serial number as ST-LINKs have it, different for each board.
serial_of() { printf '066EFF3735355034570629%02d' "$1"; }

# place N: where the board is plugged in, as in usb:PLACE.
place() { if [ "$1" -lt 9 ]; then echo "$1-1"; else echo "9-$(($1 - 8))"; fi; }
device() { echo "/sys/bus/usb/devices/$(place "$1")"; }

# board N [SERIAL] [full-speed|high-speed]: builds it, unplugged.
board() {
    g=$gadgets/b$1
    [ -d "$g" ] || {
        mkdir "$g" "$g/strings/0x409" "$g/configs/c.1" "$g/functions/acm.p$1"
        echo 0x0483 >"$g/idVendor"
        echo 0x374b >"$g/idProduct"
        echo 0x0100 >"$g/bcdDevice"
        echo 0xef >"$g/bDeviceClass"
        echo 0x02 >"$g/bDeviceSubClass"
        echo 0x01 >"$g/bDeviceProtocol"
        echo STMicroelectronics >"$g/strings/0x409/manufacturer"
        echo 'STM32 STLink' >"$g/strings/0x409/product"
        ln -s "$g/functions/acm.p$1" "$g/configs/c.1/"
    }
    echo "${2-$(serial_of "$1")}" >"$g/strings/0x409/serialnumber"
    echo "${3-full-speed}" >"$g/max_speed"
}

node() { printf '/dev/bus/usb/%03d/%03d' "$(cat "$(device "$1")/busnum")" "$(cat "$(device "$1")/devnum")"; }
port() { echo "/dev/ttyGS$(cat "$gadgets/b$1/functions/acm.p$1/port_num")"; }
control() { [ "$1" -lt 9 ] && echo 0 || eval "echo \$control_$1"; } # the serial port's control interface; data is the next one
tty() { echo /dev/"$(ls "$(device "$1"):1.$(control "$1")/tty" 2>/dev/null)"; }
bound() { [ "$(readlink "$(device "$1"):1.$2/driver" 2>/dev/null | sed 's|.*/||')" = "$3" ]; }

# plug N: and waits until the kernel and udev are done with it.
plug() {
    echo "dummy_udc.$(($1 - 1))" >"$gadgets/b$1/UDC"
    within 10 bound "$1" 1 cdc_acm
    udevadm settle
}
unplug() {
    echo >"$gadgets/b$1/UDC"
    within 10 gone "$1"
    power_off "$1"
}
gone() { [ ! -e "$(device "$1")" ]; }

# firmware N [OPTIONS OF emulate]: the board's firmware begins to speak; sent.N has every byte that its port took.
firmware() {
    n=$1
    shift
    power_off "$n"
    rm -f "/tmp/sent.$n"
    nlos-bridge emulate --tty "$(port "$n")" --copy "/tmp/sent.$n" "$@" 2>/tmp/firmware.$n &
    eval "firmware_$n=$!"
}
# power_off N: the firmware ends.
power_off() {
    eval "pid=\${firmware_$1-}"
    [ -n "$pid" ] || return 0
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    eval "firmware_$1="
}

# chip N MODEL [scene=NAME] [FAULT...]: board N, 9 to 16, an ST-LINK with every descriptor as dumped from a real one, plugged in. It tells /tmp/chip.N
# what the host does, and obeys `order N ...`.
chip() {
    n=$1
    model=$2
    shift 2
    case $model in v2-1 | v3e | v3set) eval "control_$n=2" ;; *) eval "control_$n=1" ;; esac
    [ -p "/tmp/orders.$n" ] || mkfifo "/tmp/orders.$n"
    rig-board "$model" $((n - 9)) "$(serial_of "$n")" "/tmp/orders.$n" "/tmp/sent.$n" "${chip_seed-$n}" "$@" >"/tmp/chip.$n" 2>&1 &
    eval "chip_$n=$!"
    within 10 bound "$n" "$(($(control "$n") + 1))" cdc_acm
    udevadm settle
}
order() {
    n=$1
    shift
    echo "$*" >"/tmp/orders.$n"
}
chip_gone() {
    order "$1" unplug
    eval "wait \$chip_$1; chip_$1="
    within 10 gone "$1"
}

# beside PROGRAM ARGUMENT...: a program beside the scenario that heeds an interrupt; begin it with `&`.
beside() { exec rig-board --interruptible "$@"; }
# capturing NAME [OPTIONS]: the program under test, beside the scenario; NAME.jsonl, NAME.json (summary), NAME.err.
capturing() {
    name=$1
    shift
    rm -f "/tmp/$name".*
    beside nlos-bridge capture --session rig --sensor-id rig --fixed-sensor -o "/tmp/$name.jsonl" --summary-json "/tmp/$name.json" "$@" \
        2>"/tmp/$name.err" &
    eval "capture_$name=$!"
}
program_of() { eval "echo \$capture_$1"; }
# told NAME: what it has said goes to the console's log.
told() { sed "s/^/   $1: /" "/tmp/$1.err"; }
# capture NAME [OPTIONS]: the same to its end; its exit status.
capture() {
    capturing "$@"
    wait "$(program_of "$1")"
    status=$?
    told "$1"
    return "$status"
}
# ended NAME STATUS: it has, within ten seconds, with this status.
ended() {
    eval "pid=\$capture_$1"
    within 10 dead "$pid" || { echo "still running"; cat "/tmp/$1.err"; return 1; }
    wait "$pid"
    same "$?" "$2" || { cat "/tmp/$1.err"; return 1; }
}
# memory PID: kB that it holds.
memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null; }
dead() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"; }
lines() { wc -l <"/tmp/$1.jsonl"; }
has_lines() { [ -e "/tmp/$1.jsonl" ] && [ "$(lines "$1")" -ge "$2" ]; }

# whole NAME: what was emitted keeps every rule of the contract.
whole() { nlos-bridge check --as transient --sequence "/tmp/$1.jsonl"; }
# same_numbers NAME N: the frames are the ones that board N sent, number by number, none between them missing.
same_numbers() {
    last_words
    rig-board --same-numbers "/tmp/sent.$2" "/tmp/$1.jsonl"
}
# last_words: a firmware notes what it sent after it has sent it; the program may have read and ended before.
last_words() { usleep 20000; }
# ledger NAME N: every frame that board N's line took is emitted, refused by a reason, or lost at a gap with a name.
ledger() {
    last_words
    rig-board --ledger "/tmp/sent.$2" "/tmp/$1.jsonl" "$(rejected "$1")" "$(gaps "$1" '"firmware_lost"')" \
        "$(gaps "$1" '"\(board_reset\|bytes_lost\)"')"
}
# gaps NAME REASON: how many it has.
gaps() { grep -o "\"reason\":$2" "/tmp/$1.json" | wc -l; }
# nothing_lost NAME: none rejected, no gap, no byte lost on this side.
nothing_lost() {
    text "/tmp/$1.json" '"framesRejected":{}' && text "/tmp/$1.json" '"gaps":\[\]' && text "/tmp/$1.json" '"bytesLost":0'
}
# rejected NAME: how many frames were refused, whatever the reasons.
rejected() { sed 's/.*"framesRejected":{\([^}]*\)}.*/\1/' "/tmp/$1.json" | tr ',' '\n' | awk -F: '{ n += $2 } END { print n + 0 }'; }
rejected_at_most() { [ "$(rejected "$1")" -le "$2" ] || { cat "/tmp/$1.json"; return 1; }; }
end_is() { same "$(member "/tmp/$1.json" end)" "$2"; }

# given_back N: both interfaces are the kernel driver's, the tty is there, and what the board says can be read from it.
given_back() {
    for interface in $(control "$1") $(($(control "$1") + 1)); do
        within 5 bound "$1" "$interface" cdc_acm || {
            echo "interface $interface has $(readlink "$(device "$1"):1.$interface/driver")"
            return 1
        }
    done
    [ -c "$(tty "$1")" ] || { echo "no tty"; return 1; }
}
# speaks N: `cat` gets the firmware's words from the tty. Until it is raw the tty's echo answers the firmware, which takes that
# for a configuration: so the board is restarted afterwards.
speaks() {
    {
        stty raw -echo
        timeout 20 head -c 2000 >/tmp/cat.out
    } <"$(tty "$1")"
    power_off "$1"
    usleep 100000
    firmware "$1"
    [ "$(wc -c </tmp/cat.out)" -eq 2000 ] || { echo "cat got $(wc -c </tmp/cat.out) bytes"; return 1; }
}
# usable N: all that must be true once the program is gone.
usable() { given_back "$1" && nothing_runs && speaks "$1"; }
# nothing_runs: no program of ours but the boards' firmware.
nothing_runs() {
    for pid in $(pidof nlos-bridge); do
        tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q 'nlos-bridge emulate' || { echo "process $pid still runs"; return 1; }
    done
}

# clean_up: as it was before the scenario.
clean_up() {
    for pid in $(pidof nlos-bridge rig-board); do kill -9 "$pid"; done
    wait
    for g in "$gadgets"/b*; do
        [ -d "$g" ] && echo >"$g/UDC" 2>/dev/null
    done
    rm -rf /tmp/*
    udevadm settle
}
