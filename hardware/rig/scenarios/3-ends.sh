# Ways out: after each of them the tty is usable again by cat, no interface is claimed, no process is left
# weight 20

# Streams into NAME until three frames are written.
streaming() {
    capturing "$@"
    must 'frames come' within 20 has_lines "$1" 3
}

board 1
plug 1
firmware 1

row 'end of count' 'status 0, whole lines'
capture a --frames 3
must 'status' same "$?" 0
must 'end' end_is a frames_reached
must 'whole lines' whole a
must 'usable' usable 1

row 'Ctrl-C' 'status 130, whole lines'
streaming a --record /tmp/a.pcap
kill -INT "$(program_of a)"
must 'status' ended a 130
must 'end' end_is a interrupted
must 'whole lines' whole a
must 'the recording is complete' text /tmp/a.json '"complete":true'
must 'usable' usable 1

row 'SIGTERM' 'status 143, whole lines'
streaming a
kill -TERM "$(program_of a)"
must 'status' ended a 143
must 'whole lines' whole a
must 'usable' usable 1

row 'SIGKILL' 'the port has no driver; the next start gives it back'
streaming a --record /tmp/a.pcap
kill -KILL "$(program_of a)"
must 'killed' ended a 137
must 'no interface is claimed' bound 1 0 ''
must 'not even the other' bound 1 1 ''
nlos-bridge probe --json >/tmp/probe
must 'probe calls it ready' same "$(member /tmp/probe access)" ready
nlos-bridge replay /tmp/a.pcap --fast >/tmp/again 2>/tmp/err
must 'what was recorded can be played' same "$?" 0
must 'and has frames' test -s /tmp/again
capture b --frames 3
must 'the next capture works' same "$?" 0
must 'usable' usable 1

row 'closed pipe' 'status 1, says so, no process left'
{
    nlos-bridge capture --session rig --sensor-id rig --fixed-sensor --summary-json /tmp/pipe.json 2>/tmp/pipe.err
    echo $? >/tmp/status
} | head -n 2 >/tmp/pipe.jsonl
must 'status' same "$(cat /tmp/status)" 1
must 'end' end_is pipe output_closed
must 'whole lines' whole pipe
must 'usable' usable 1

row 'full disk' 'status 1, whole lines, says which file'
mkdir -p /tmp/disk
mount -t tmpfs -o size=64k disk /tmp/disk
nlos-bridge capture --session rig --sensor-id rig --fixed-sensor -o /tmp/disk/a.jsonl --summary-json /tmp/full.json 2>/tmp/full.err
must 'status' same "$?" 1
must 'names the file' text /tmp/full.err '/tmp/disk/a.jsonl'
must 'whole lines' nlos-bridge check --as transient --sequence /tmp/disk/a.jsonl
must 'frames before it' test -s /tmp/disk/a.jsonl
umount /tmp/disk
must 'usable' usable 1

row 'the firmware crashes in mid-stream (board stays plugged in)' 'silence named, status 5, usable once it speaks again'
streaming a
kill -KILL "$firmware_1"
wait "$firmware_1"
eval "pid=\$capture_a"
must 'ends by itself' within 60 dead "$pid"
must 'status' ended a 5
must 'says what it saw' text /tmp/a.err 'nothing arrived for'
must 'whole lines' whole a
must 'given back' given_back 1
firmware 1
must 'usable' usable 1
