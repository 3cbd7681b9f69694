// GStreamer as a player: its playbin3 with sinks that show and sound nothing, told where to go by a small program.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PYTHON } from '../../../kit/requirements.ts'

const run = promisify(execFile)

/** Plays an address from each place for two seconds, then what is before its end, to its end; a line of JSON each. */
const PROGRAM = `
import json, sys, time
import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst
Gst.init(None)
player = Gst.ElementFactory.make('playbin3')
bus = player.get_bus()
seen = {'video': 0, 'audio': 0}
sinks = {}
def sink(kind):
    one = Gst.ElementFactory.make('fakesink')
    one.set_property('sync', True)
    one.set_property('signal-handoffs', True)
    one.connect('handoff', lambda *rest: seen.update({kind: seen[kind] + 1}))
    sinks[kind] = one
    return one
player.set_property('uri', sys.argv[1])
player.set_property('video-sink', sink('video'))
player.set_property('audio-sink', sink('audio'))
def until(done):
    ends = time.monotonic() + 80
    while time.monotonic() < ends:
        said = bus.timed_pop_filtered(50 * Gst.MSECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
        if said is not None and said.type == Gst.MessageType.ERROR:
            sys.exit(str(said.parse_error()))
        if done(said is not None): return
    sys.exit('nothing comes: %s, %s' % (player.query_position(Gst.Format.TIME), seen))
def is_at(place):
    known, at = player.query_position(Gst.Format.TIME)
    return known and place + 2 <= at / Gst.SECOND < place + 8 and min(seen.values()) > 0
def caps(kind):
    return sinks[kind].get_static_pad('sink').get_current_caps().to_string()
player.set_state(Gst.State.PLAYING)
for place in map(float, sys.argv[2:]):
    if place > 0:
        seen.update(video=0, audio=0)
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        if not player.seek_simple(Gst.Format.TIME, flags, int(place * Gst.SECOND)): sys.exit('no seek')
    until(lambda ended: is_at(place))
    print(json.dumps({'place': place, **seen}))
known, length = player.query_duration(Gst.Format.TIME)
player.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, length - 2 * Gst.SECOND)
until(lambda ended: ended)
print(json.dumps({'length': length / Gst.SECOND, 'video': caps('video'), 'audio': caps('audio')}))
player.set_state(Gst.State.NULL)
`

/** Pictures and frames of sound that came from a place on. */
export interface HeardFrom {
  readonly place: number
  readonly video: number
  readonly audio: number
}

/** What it found of the film: seconds, and what its sinks were given. */
export interface PlayedFilm {
  readonly length: number
  readonly video: string
  readonly audio: string
}

/** Plays an address from its start and from places in it, s, then to its end. Rejects with what GStreamer says. */
export async function gstreamerPlays(
  url: string,
  places: readonly number[],
): Promise<{ heard: HeardFrom[]; film: PlayedFilm }> {
  const ran = run(PYTHON, ['-c', PROGRAM, url, ...places.map(String)], { timeout: 240_000 })
  const { stdout } = await ran.catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`GStreamer said: ${error.stderr ?? ''}; before that ${error.stdout ?? ''}`, { cause: error })
  })
  const lines = stdout.trim().split('\n')
  const film = JSON.parse(lines.pop() ?? '') as PlayedFilm
  return { heard: lines.map(line => JSON.parse(line) as HeardFrom), film }
}
