// Which way a film is played: by the browser, or by the page, which repacks it. The browser plays first; the page takes
// over when what the film is, or what the browser makes of it, says so (decision 0545).

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import {
  choicesOf,
  type KnownFilm,
  type KnownTrack,
  lacksOf,
  planOf,
  soundsOf,
  wayOf,
} from '../../model/film/film-way.ts'
import type { Trouble } from '../../model/playable.ts'
import { addressOf } from '../../node/api.ts'
import type { PageFilm, PageFilmEvents } from '../../remux/page-film.ts'
import { abilities } from './abilities.ts'
import { useKnownFilm } from './use-known-film.ts'

/** How a film is played. */
export interface FilmWay {
  /** What the node knows of it; null: nothing yet. */
  readonly known: KnownFilm | null
  /** The page plays it, or is about to. */
  readonly byPage: boolean
  /** What the element gets from the page; null: it plays the link itself. */
  readonly src: string | null
  /** What the browser will lack, known before it plays. */
  readonly lacks: Trouble | null
  /** The tracks of sound there are to choose from; empty where there is no choice. */
  readonly sounds: readonly KnownTrack[]
  /** The one that is heard; null: not known. */
  readonly soundId: number | null
  chooseSound(id: number): void
  /** The browser does not play it: true when the page takes over. */
  takeOver(): boolean
  /** The page does not play it either. */
  giveUp(): void
}

/** What the player does when the page plays. */
export interface PagePlay {
  /** The link does not answer. */
  stopped(): void
  /** Something has come in. */
  came(): void
}

/** The way of one file. The answer of `play` may change from drawing to drawing. */
export function useFilmWay(
  video: RefObject<HTMLVideoElement | null>,
  infohash: string,
  file: DownloadFile,
  play: RefObject<PagePlay | null>,
): FilmWay {
  const known = useKnownFilm(infohash, file.index)
  const [own, setOwn] = useState<KnownFilm | null>(null)
  const [byPage, setByPage] = useState(false)
  const [src, setSrc] = useState<string | null>(null)
  const [soundId, setSoundId] = useState<number | null>(null)
  const wanted = useRef<number | null>(null)
  const tried = useRef(false)
  const page = useRef<PageFilm | null>(null)
  const film = own ?? known
  const way = known === null ? null : wayOf(known, abilities, null)
  const begin = (): boolean => {
    if (tried.current) return false
    tried.current = true
    setByPage(true)
    return true
  }
  const giveUp = () => setByPage(false)
  useEffect(() => {
    if (way?.by === 'page') begin()
  }, [way?.by])
  useEffect(() => {
    const element = video.current
    if (!byPage || element === null) return undefined
    const options = { element, url: addressOf(file.stream_url), size: file.size, can: abilities }
    const events: PageFilmEvents = {
      ready: (address, opened, chosen) => {
        setOwn(opened)
        setSoundId(chosen)
        setSrc(address)
      },
      gaveUp: giveUp,
      stopped: () => play.current?.stopped(),
      came: () => play.current?.came(),
    }
    let ended = false
    const load = async (): Promise<void> => {
      const part = await import('../../remux/page-film.ts')
      const facts = { durationSec: known?.durationSec ?? null, soundId: wanted.current }
      if (!ended) page.current = new part.PageFilm({ ...options, ...facts }, events)
    }
    load().catch(giveUp)
    return () => {
      ended = true
      page.current?.close()
      page.current = null
      setSrc(null)
    }
  }, [byPage])
  useEffect(() => page.current?.relink(addressOf(file.stream_url)), [file])
  // What the page has given up the browser plays as it is.
  const isOfBrowser = way?.by === 'browser' || tried.current
  const lacking = known !== null && isOfBrowser && !byPage ? lacksOf(known, abilities) : null
  return {
    known,
    byPage,
    src,
    lacks: lacking,
    sounds: film === null || (tried.current && !byPage) ? [] : choicesOf(film, abilities),
    soundId: soundId ?? (film === null ? null : (soundsOf(film)[0]?.id ?? null)),
    chooseSound(id) {
      wanted.current = id
      setSoundId(id)
      if (page.current !== null) void page.current.chooseSound(id)
      // The browser's own player has no choice of sound.
      else begin()
    },
    takeOver: () => (film === null || planOf(film, abilities, null) !== null) && begin(),
    giveUp,
  }
}
