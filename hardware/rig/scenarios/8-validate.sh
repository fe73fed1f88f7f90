# validate: to completed, and to each failure that a board can cause
# weight 100

# validating [scene=NAME] [FAULT...]: a board that does this, and a run that starts at once.
validating() {
    [ -z "${chip_9-}" ] || chip_gone 9
    chip 9 v2-1 "$@"
    rm -f /tmp/v.json /tmp/v.err
    beside nlos-bridge validate --json --yes --sensor usb:9-1 >/tmp/v.json 2>/tmp/v.err &
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
# fails_as REASON: and the board is the kernel's again.
fails_as() {
    must 'failed' judged 1 "failed: $1"
    what
    must 'given back' given_back 9
}

row 'a wall, held still, then moved slowly' 'completed after 45 s, direct_depth, given back'
validating
must 'completed' judged 0 completed
what
must 'nothing but direct depth' text /tmp/v.json 'direct_depth'
must 'given back' given_back 9
must 'nothing runs' nothing_runs

row 'unplugged in the calibration' 'sensor_disconnected'
validating
sleep 8
chip_gone 9
must 'failed' judged 1 'failed: sensor_disconnected'
what

row 'unplugged in the wall scan' 'sensor_disconnected'
validating
sleep 25
chip_gone 9
must 'failed' judged 1 'failed: sensor_disconnected'
what

row 'the sensor has a wrong id: nothing comes' 'no_frames'
validating wrong-sensor
fails_as no_frames

row 'the firmware falls silent' 'stalled, within a second'
validating silence-after=60
fails_as stalled

row 'the board restarts again and again' 'stalled'
validating reset-after=100
fails_as stalled

row 'no zone ever sees anything' 'no_depth'
validating no-distance
fails_as no_depth

row 'a dark wall' 'low_coverage'
validating scene=dark-wall
fails_as low_coverage

row 'a wall at 30 cm' 'wall_out_of_range'
validating scene=near-wall
fails_as wall_out_of_range

row 'the corner of a room' 'no_steady_wall, after the wall scan'
validating scene=corner
fails_as no_steady_wall

row 'distances scatter by 10 cm' 'unstable_depth'
validating distance-noise=100
fails_as unstable_depth

row 'each fifth frame is the one before' 'frozen_frames'
validating frozen-frame=5
fails_as frozen_frames

row 'a lamp is lit' 'ambient_light, at once'
validating brighter-after=150
fails_as ambient_light

row 'bytes are lost on the line' 'low_frame_rate'
validating burst-loss=0.0002
fails_as low_frame_rate

row 'the sensor does not answer' 'a device error that names the sensor'
validating not-detected
within 60 dead "$validation"
wait "$validation"
must 'status' same "$?" 5
must 'names it' text /tmp/v.err 'the board does not reach its sensor'
must 'the diagnostic is a failed one' text /tmp/v.json '"completionStatus":"failed"'
must 'given back' given_back 9

row 'Ctrl-C in the calibration' 'status 130, cancelled, given back'
validating
sleep 8
kill -INT "$validation"
must 'status' judged 130 cancelled
what
must 'given back' given_back 9
must 'nothing runs' nothing_runs
