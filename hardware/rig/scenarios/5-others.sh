# Others at the same time: programs on the tty, two captures, two boards, eight boards for a minute
# weight 60

board 1
plug 1
firmware 1

row 'the tty is held before we come' 'busy, status 5, names the holder; works when it is free'
sleep 1000 <"$(tty 1)" &
holder=$!
nlos-bridge probe --json >/tmp/probe
must 'probe says busy' same "$(member /tmp/probe access)" busy
capture a --frames 1
must 'status' same "$?" 5
must 'names the tty' text /tmp/a.err "/dev/ttyACM"
must 'the holder keeps it' bound 1 0 cdc_acm
kill "$holder"
wait "$holder"
capture a --frames 2
must 'works then' same "$?" 0
must 'usable' usable 1

row 'somebody ran cat: the echo of the tty has filled the receiver with its own words' 'configured all the same'
timeout 2 cat "$(tty 1)" >/tmp/cat.out
capture a --zones 4x4 --bins 16 --rate 20 --frames 10
must 'status' same "$?" 0
must 'as configured' same "$(member /tmp/a.json binTiming)" configured
must 'usable' usable 1

row 'a program opens it while we run' 'there is no tty to open; frames go on'
name=$(tty 1)
capturing a --frames 40
must 'frames come' within 20 has_lines a 3
must_not 'the tty is away' sh -c "exec 3<$name"
must 'ends well' ended a 0
must 'nothing is missing' same_numbers a 1
must 'usable' usable 1

row 'a second capture on the same board' 'tries for 8 s, then busy, status 5; the first is not disturbed'
capturing a --frames 110
must 'frames come' within 20 has_lines a 3
capture b --frames 1
must 'status' same "$?" 5
must 'says busy' text /tmp/b.err 'held by another program'
must 'the first ends well' within 15 dead "$(program_of a)"
must 'its status' ended a 0
must 'nothing is missing' same_numbers a 1
must 'usable' usable 1

row 'two boards, none chosen' 'an error that lists them'
board 2
plug 2
firmware 2
capture a --frames 1
must 'status' same "$?" 2
must 'lists both' text /tmp/a.err 'usb:1-1, usb:2-1'

row 'two boards at once, one by serial number, one by place' 'each gets its own numbers'
capturing a --sensor "$(serial_of 1)" --frames 20
capturing b --sensor usb:2-1 --frames 20
must 'first ends well' ended a 0
must 'second ends well' ended b 0
must 'numbers of the first' same_numbers a 1
must 'numbers of the second' same_numbers b 2
must 'first usable' usable 1
must 'second usable' usable 2

row 'eight boards for a minute' 'every frame of each accounted for, all given back'
for n in 1 2; do unplug "$n"; done
boards='9 10 11 12 13 14 15 16'
for b in $boards; do chip "$b" v2-1; done
for b in $boards; do
    capturing "b$b" --sensor "usb:$(place "$b")" --zones 4x4 --bins 8 --rate 3 --seconds 60
done
for b in $boards; do
    within 80 dead "$(program_of "b$b")"
    must "board $b: status" ended "b$b" 0
    must "board $b: nothing lost" nothing_lost "b$b"
    must "board $b: numbers" same_numbers "b$b" "$b"
    must "board $b had a minute" has_lines "b$b" 175
    must "board $b given back" given_back "$b"
done
