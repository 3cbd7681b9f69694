// Subtitles of a film: a file that lies in the torrent or one of this device, read in the right encoding, moved in
// time, and handed to the browser as text.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { LatestRead } from '../../model/latest-read.ts'
import { type Cue, webVttOf } from '../../../wire/subtitles/cue.ts'
import { decodedText } from '../../model/subtitles/encodings.ts'
import { cuesOf, MAX_SUBTITLE_BYTES, SUBTITLE_NAME } from '../../model/subtitles/subtitles.ts'
import { text } from '../../texts/player.ts'
import { session } from '../../node/context.ts'

/** Of one torrent; a series in twenty languages has some hundred. */
const MAX_CHOICES = 400

/** A file of subtitles that was read. */
interface Source {
  readonly name: string
  readonly bytes: Uint8Array
  /** In the torrent; null: of this device. */
  readonly index: number | null
}

/** What is shown of a file. */
interface Shown {
  readonly source: Source
  readonly encoding: string
  readonly cues: readonly Cue[]
}

const NO_CUES: readonly Cue[] = []

/** Subtitles that are shown, and what changes them. */
export interface Subtitles {
  readonly choices: readonly DownloadFile[]
  readonly source: Source | null
  /** Address of their WebVTT in this page; null: none are shown. */
  readonly url: string | null
  /** The encoding they were read in. */
  readonly encoding: string
  readonly offsetSec: number
  /** A file of the torrent; null = none. */
  choose(file: DownloadFile | null): void
  /** A file of this device. */
  open(file: File): void
  /** Null: as it is found. */
  readAs(encoding: string | null): void
  move(offsetSec: number): void
}

/** Subtitles of a torrent, those that are named like the film first. */
export function subtitlesOf(files: readonly DownloadFile[], film: DownloadFile): DownloadFile[] {
  const stem = film.name.replace(/\.[^./]*$/, '').toLowerCase()
  const all = files.filter(({ name, size }) => SUBTITLE_NAME.test(name) && size <= MAX_SUBTITLE_BYTES)
  const own = all.filter(({ name }) => name.toLowerCase().startsWith(stem))
  return [...own, ...all.filter(file => !own.includes(file))].slice(0, MAX_CHOICES)
}

/** What is shown of them follows what was chosen. */
export function useSubtitles(files: readonly DownloadFile[], film: DownloadFile): Subtitles {
  const choices = useMemo(() => subtitlesOf(files, film), [files, film.index])
  const [shown, setShown] = useState<Shown | null>(null)
  const [offsetSec, move] = useState(0)
  const cues = shown?.cues ?? NO_CUES
  const url = useTextUrl(cues, offsetSec)
  const [reads] = useState(() => new LatestRead())
  useEffect(() => () => reads.end(), [])
  const take = (read: (signal: AbortSignal) => Promise<Source | null>) =>
    void session.attempt(async () => {
      const found = await reads.run(read)
      if (found === null) return
      const next = found.value === null ? null : shownOf(found.value, null)
      if (next?.cues.length === 0) session.notify(text('noSubtitlesIn', { name: next.source.name }))
      move(0)
      setShown(next)
    })
  return {
    choices,
    source: shown?.source ?? null,
    url,
    encoding: shown?.encoding ?? '',
    offsetSec,
    choose: file => take(async signal => (file === null ? null : read(file, signal))),
    open: file => take(() => readOwn(file)),
    readAs: encoding => setShown(known => (known === null ? null : shownOf(known.source, encoding))),
    move,
  }
}

/** Read once for each choice of the user: a large file takes a while. `encoding` null: as it is found. */
function shownOf(source: Source, encoding: string | null): Shown {
  const decoded = decodedText(source.bytes, source.name, encoding)
  return { source, encoding: decoded.encoding, cues: cuesOf(decoded.text) }
}

/** The address of the WebVTT of cues; null: there are none. */
function useTextUrl(cues: readonly Cue[], offsetSec: number): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (cues.length === 0) {
      setUrl(null)
      return undefined
    }
    const made = URL.createObjectURL(new Blob([webVttOf(cues, offsetSec * 1000)], { type: 'text/vtt' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [cues, offsetSec])
  return url
}

async function read(file: DownloadFile, signal: AbortSignal): Promise<Source> {
  const answer = await session.node.open({ method: 'GET', path: file.stream_url, body: undefined }, signal)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return { name: file.name.split('/').at(-1) ?? '', bytes, index: file.index }
}

async function readOwn(file: File): Promise<Source> {
  if (file.size > MAX_SUBTITLE_BYTES) throw new Error(text('tooLargeForSubtitles', { name: file.name }))
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()), index: null }
}
