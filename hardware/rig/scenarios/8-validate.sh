# validate: to completed, and to each failure that a board can cause
# weight 45

board 1
plug 1

# validating [OPTIONS OF emulate]: the firmware, and a run that starts at once.
validating() {
    firmware 1 "$@"
    rm -f /tmp/v.json /tmp/v.err
    beside nlos-bridge validate --json --yes --sensor usb:1-1 >/tmp/v.json 2>/tmp/v.err &
    validation=$!
}
# judged STATUS WORD: it has ended so; what it tells the person begins with this verdict, and its diagnostic is one of that kind.
judged() {
    within 60 dead "$validation" || { echo "still runs"; return 1; }
    wait "$validation"
    got=$?
    grep -E '^(failed|completed|cancelled|measured|needed)' /tmp/v.err
    same "$got" "$1" && text /tmp/v.err "$2" && text /tmp/v.json '"completionStatus":"'"${2%%:*}"'"'
}
what() { sed 's/^/   /' /tmp/must.out; }

row 'a wall, held still, then moved slowly' 'completed after 45 s, direct_depth, given back'
validating
must 'completed' judged 0 completed
must 'nothing but direct depth' text /tmp/v.json 'direct_depth'
must 'given back' usable 1
what

row 'unplugged in the calibration' 'sensor_disconnected'
validating
sleep 8
unplug 1
must 'failed' judged 1 'failed: sensor_disconnected'
what
plug 1

row 'unplugged in the wall scan' 'sensor_disconnected'
validating
sleep 30
unplug 1
must 'failed' judged 1 'failed: sensor_disconnected'
plug 1

row 'the firmware falls silent' 'stalled, within a second'
validating --fault silence-after=60
must 'failed' judged 1 'failed: stalled'
must 'given back' given_back 1
what

row 'the sensor has a wrong id: nothing comes' 'no_frames'
validating --fault wrong-sensor
must 'failed' judged 1 'failed: no_frames'
must 'given back' given_back 1
what

row 'the sensor does not answer' 'a device error that names the sensor'
validating --fault not-detected
within 60 dead "$validation"
wait "$validation"
must 'status' same "$?" 5
must 'names it' text /tmp/v.err 'the board does not reach its sensor'
must 'the diagnostic is a failed one' text /tmp/v.json '"completionStatus":"failed"'
must 'given back' given_back 1
what

row 'frames are lost on the line' 'low_frame_rate'
validating --fault burst-loss=0.0002
must 'failed' judged 1 'failed: low_frame_rate'
what

row 'a dark wall' 'low_coverage'
validating --scene dark-wall
must 'failed' judged 1 'failed: low_coverage'
what

row 'the board restarts again and again' 'fails, given back'
validating --fault reset-after=100
must 'failed' judged 1 'failed: stalled'
must 'given back' given_back 1
what

row 'Ctrl-C in the calibration' 'status 130, cancelled, given back'
validating
sleep 8
kill -INT "$validation"
must 'status' judged 130 cancelled
must 'usable' usable 1
what
