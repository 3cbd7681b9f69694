// What is known of the sources in the dialog: the files of those that were looked at, and which of them are chosen. A
// torrent file is looked at by itself, for nobody else hears of that; a link only when a person asks for it: the node
// then asks trackers and peers.

import { useEffect, useRef, useState } from 'preact/hooks'
import { hashIn } from '../../model/adding.ts'
import { type FileTree, fileTree } from '../../model/file-tree.ts'
import { filesBehind, filesIn, isKnown, type TorrentFiles } from '../../node/adding.ts'
import { textOf } from '../../node/api.ts'
import { text } from '../../texts/downloads/adding.ts'

/** A file of a torrent that is to be added. */
export type ListedFile = TorrentFiles['files'][number]

/** A link or a torrent file of this machine. */
export interface Source {
  /** The link, or a name for the file that no other has. */
  readonly key: string
  readonly name: string
  /** Null: it is a link. */
  readonly file: File | null
}

/** What is known of a source. */
export interface Look {
  readonly state: 'looking' | 'here' | 'failed' | 'not-asked'
  /** Why it failed. */
  readonly reason?: string
  /** There is a download of it. */
  readonly known?: boolean
  readonly found?: TorrentFiles
  readonly tree?: FileTree<ListedFile>
  /** Indexes of the files that are to be fetched. */
  readonly chosen?: ReadonlySet<number>
}

/** Torrent files that the node takes are at most this long. */
const MAX_TORRENT_BYTES = 16 * 1024 * 1024
/** Sources that are looked at by themselves. */
const MAX_BY_ITSELF = 50

/** Looks at sources. */
export interface Looks {
  of(source: Source): Look
  look(source: Source): void
  stop(source: Source): void
  choose(source: Source, chosen: ReadonlySet<number>): void
}

const NOT_ASKED: Look = { state: 'not-asked' }

async function filesOfSource({ key, file }: Source, hops: number, signal: AbortSignal): Promise<TorrentFiles> {
  if (file === null) return filesBehind(key, hops, signal)
  if (file.size > MAX_TORRENT_BYTES) throw new Error(text('tooLarge'))
  return filesIn(file, signal)
}

function lookOf(found: TorrentFiles): Look {
  const chosen = new Set(found.files.map(({ index }) => index))
  return { state: 'here', known: found.download_exists, found, tree: fileTree(found.files), chosen }
}

/** Looks at sources; what is under way ends with the dialog, and when other hops are chosen. */
export function useLooks(sources: readonly Source[], hops: number): Looks {
  const [looks, setLooks] = useState<ReadonlyMap<string, Look>>(new Map())
  const running = useRef(new Map<string, AbortController>())
  const put = (key: string, look: Look) => setLooks(old => new Map(old).set(key, look))
  const stop = (key: string) => {
    running.current.get(key)?.abort()
    running.current.delete(key)
  }
  const look = async (source: Source): Promise<void> => {
    stop(source.key)
    const ending = new AbortController()
    running.current.set(source.key, ending)
    put(source.key, { state: 'looking' })
    try {
      const found = await filesOfSource(source, hops, ending.signal)
      if (!ending.signal.aborted) put(source.key, lookOf(found))
    } catch (error) {
      if (!ending.signal.aborted) put(source.key, { state: 'failed', reason: textOf(error) })
    }
    if (running.current.get(source.key) === ending) running.current.delete(source.key)
  }

  const asked = useRef(new Set<string>())
  useEffect(() => {
    const fresh = sources.slice(0, MAX_BY_ITSELF).filter(({ key }) => !asked.current.has(key))
    for (const { key } of fresh) asked.current.add(key)
    const ask = async () => {
      // One after the other: fifty files at once would keep the node from others.
      for (const source of fresh)
        if (source.file !== null) await look(source)
        else await tellWhetherKnown(source)
    }
    const tellWhetherKnown = async ({ key }: Source) => {
      const infohash = hashIn(key)
      if (infohash === '') return
      const known = await isKnown(infohash, new AbortController().signal).catch(() => false)
      if (known) setLooks(old => (old.has(key) ? old : new Map(old).set(key, { ...NOT_ASKED, known })))
    }
    void ask()
  }, [sources])

  useEffect(() => {
    const all = running.current
    return () => {
      for (const [key, ending] of all) {
        ending.abort()
        put(key, NOT_ASKED)
      }
      all.clear()
    }
  }, [hops])

  return {
    of: ({ key }) => looks.get(key) ?? NOT_ASKED,
    look: source => void look(source),
    stop: ({ key }) => {
      stop(key)
      put(key, NOT_ASKED)
    },
    choose: ({ key }, chosen) => {
      const known = looks.get(key)
      if (known !== undefined) put(key, { ...known, chosen })
    },
  }
}
