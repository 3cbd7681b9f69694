// Subtitles of a film: a file that lies in the torrent or one of this device, read in the right encoding, moved in
// time, and handed to the browser as text.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { webVttOf } from '../../model/subtitles/cue.ts'
import { decodedText } from '../../model/subtitles/encodings.ts'
import { cuesOf, MAX_SUBTITLE_BYTES, SUBTITLE_NAME } from '../../model/subtitles/subtitles.ts'
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
  const [source, setSource] = useState<Source | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const [offsetSec, move] = useState(0)
  const decoded = useMemo(
    () => (source === null ? null : decodedText(source.bytes, source.name, chosen)),
    [source, chosen],
  )
  const cues = useMemo(() => (decoded === null ? [] : cuesOf(decoded.text)), [decoded])
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
  const take = (read: () => Promise<Source | null>) =>
    void session.attempt(async () => {
      const found = await read()
      if (found !== null && cuesOf(decodedText(found.bytes, found.name, null).text).length === 0)
        session.notify(`${found.name} has no subtitles that can be read.`)
      setChosen(null)
      move(0)
      setSource(found)
    })
  return {
    choices,
    source,
    url,
    encoding: decoded?.encoding ?? '',
    offsetSec,
    choose: file => take(async () => (file === null ? null : read(file))),
    open: file => take(() => readOwn(file)),
    readAs: setChosen,
    move,
  }
}

async function read(file: DownloadFile): Promise<Source> {
  const answer = await session.node.open({ method: 'GET', path: file.stream_url, body: undefined })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return { name: file.name.split('/').at(-1) ?? '', bytes, index: file.index }
}

async function readOwn(file: File): Promise<Source> {
  if (file.size > MAX_SUBTITLE_BYTES) throw new Error(`${file.name} is too large for subtitles.`)
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()), index: null }
}
