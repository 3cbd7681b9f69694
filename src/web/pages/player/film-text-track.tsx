// Texts that come in while they are shown: a track of the film that gets cue after cue. Only text reaches the browser.

import { useEffect, useRef, useState } from 'preact/hooks'
import { type Cue, escaped, keyOf } from '../../../wire/subtitles/cue.ts'

interface FilmTextTrackProps {
  readonly label: string
  readonly cues: readonly Cue[]
  /** They are shown so much later. */
  readonly offsetSec: number
}

/** The track of them. */
export function FilmTextTrack({ label, cues, offsetSec }: FilmTextTrackProps) {
  const element = useRef<HTMLTrackElement>(null)
  const [shown] = useState(() => new Map<string, VTTCue>())
  const [url, setUrl] = useState<string | null>(null)
  // A track without a source is one that failed, to some browsers.
  useEffect(() => {
    const made = URL.createObjectURL(new Blob(['WEBVTT\n'], { type: 'text/vtt' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [])
  const update = () => {
    const track = element.current?.track
    if (track !== undefined) showOf(track, shown, cues, offsetSec)
  }
  // WebKit looks at `default` only when a film is opened.
  useEffect(() => {
    if (element.current !== null) element.current.track.mode = 'showing'
  }, [url])
  useEffect(update, [url, cues, offsetSec])
  return url === null ? null : <track ref={element} default kind="subtitles" label={label} src={url} onLoad={update} />
}

/** Adds what is new, moves the rest, takes away what is not there any more. */
function showOf(track: TextTrack, shown: Map<string, VTTCue>, cues: readonly Cue[], offsetSec: number): void {
  const wanted = new Map(cues.map(cue => [keyOf(cue), cue]))
  for (const [key, cue] of shown) {
    if (wanted.has(key)) continue
    if (cue.track !== null) track.removeCue(cue)
    shown.delete(key)
  }
  for (const [key, { startMs, endMs, text }] of wanted) {
    const start = Math.max(0, startMs / 1000 + offsetSec)
    const end = Math.max(start, endMs / 1000 + offsetSec)
    const known = shown.get(key)
    // Browsers clear a track when its source is loaded.
    if (known === undefined || known.track === null) {
      const cue = new VTTCue(start, end, escaped(text))
      shown.set(key, cue)
      track.addCue(cue)
    } else if (known.startTime !== start || known.endTime !== end) {
      known.startTime = start
      known.endTime = end
    }
  }
}
