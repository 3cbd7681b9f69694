// What can be done to downloads that were chosen in the list: by the menu of a row, and by that of the selection.

import {
  change,
  fieldsOf,
  announce,
  magnetOf,
  saveBlob,
  saveText,
  saveTorrent,
  torrentOf,
} from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { forMany } from '../../node/many.ts'
import type { QueuePlace } from '../../model/queue-drop.ts'
import { archiveOf, torrentNames } from '../../model/torrent-archive.ts'
import type { IconName } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/actions.ts'

/** What is asked for before it is done. */
export type Question = 'labels' | 'move' | 'limits' | 'goals' | 'hops'

/** An entry of the menu. */
export interface Action {
  readonly label:
    | Question
    | ('resume' | 'stop' | 'recheck' | 'announce' | 'magnets' | 'torrents' | 'remove')
    | ('queueTop' | 'queueUp' | 'queueDown' | 'queueBottom')
  readonly icon: IconName
  /** Done at once; else a dialog of the same name as `label` opens. */
  readonly run?: (infohashes: readonly string[]) => Promise<unknown>
}

/** Torrent files that are saved together are at most this long. */
const MAX_SAVED_BYTES = 256 * 1024 * 1024

const toState = (state: 'resume' | 'stop' | 'recheck') => (infohashes: readonly string[]) =>
  forMany(infohashes, infohash => change(infohash, { state }))

/** Moves downloads in the queue, and says where they are now. */
export const toQueue = (to: QueuePlace) => (infohashes: readonly string[]) =>
  session.attempt(async () => {
    const parameters = { infohashes: [...infohashes], ...to }
    const { modified, downloads } = await session.api.call('PATCH /queue', { parameters })
    const [first] = downloads
    if (!modified) session.notify(text('queueSame'))
    else if (downloads.length === 1 && first !== undefined)
      session.notify(text('queuePlace', { place: first.queue_position + 1 }))
    else session.notify(text('queueMoved', { count: downloads.length }))
  })

/** The same by a step. */
export const inQueue = (move: 'top' | 'up' | 'down' | 'bottom') => toQueue({ move })

async function announceAll(infohashes: readonly string[]): Promise<void> {
  let asked = 0
  const well = await forMany(infohashes, async infohash => {
    if (await announce(infohash)) asked += 1
  })
  if (!well) return
  const total = infohashes.length
  session.notify(asked === total ? text('announced', { count: asked }) : text('announcedSome', { asked, total }))
}

async function copyMagnets(infohashes: readonly string[]): Promise<void> {
  const magnets = new Map<string, string>()
  await forMany(infohashes, async infohash => magnets.set(infohash, await magnetOf(infohash)))
  if (magnets.size === 0) return
  const lines = infohashes.flatMap(infohash => magnets.get(infohash) ?? []).join('\n')
  try {
    await navigator.clipboard.writeText(lines)
    session.notify(text('magnetsCopied', { count: magnets.size }))
  } catch {
    // No clipboard where the page came neither over https nor from this machine: then as a file.
    saveText(`${lines}\n`, 'magnets.txt', 'text/plain')
  }
}

async function saveTorrents(infohashes: readonly string[]): Promise<void> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  let bytes = 0
  await forMany(infohashes, async infohash => {
    if (bytes > MAX_SAVED_BYTES) throw new Error(text('tooLarge'))
    const content = new Uint8Array(await (await torrentOf(infohash)).arrayBuffer())
    bytes += content.length
    contents.set(infohash, content)
  })
  if (bytes > MAX_SAVED_BYTES || contents.size === 0) return
  await session.attempt(async () => {
    const named = await fieldsOf([...contents.keys()], ['name'])
    const names = torrentNames(named)
    const entries = named.flatMap(({ infohash }, at) => {
      const content = contents.get(infohash)
      return content === undefined ? [] : [{ name: names[at] ?? infohash, content }]
    })
    saveBlob(new Blob([archiveOf(entries)], { type: 'application/zip' }), 'torrents.zip')
  })
}

async function save(infohashes: readonly string[]): Promise<void> {
  const [infohash = ''] = infohashes
  if (infohashes.length > 1) return saveTorrents(infohashes)
  await session.attempt(() => saveTorrent(infohash, session.downloads.held(infohash)?.name ?? ''))
  return undefined
}

/** All of them, those that belong together beside each other. */
export const actionGroups: readonly (readonly Action[])[] = [
  [
    { label: 'resume', icon: 'play', run: toState('resume') },
    { label: 'stop', icon: 'pause', run: toState('stop') },
    { label: 'recheck', icon: 'recheck', run: toState('recheck') },
    { label: 'announce', icon: 'bell', run: announceAll },
  ],
  [
    { label: 'queueTop', icon: 'up', run: inQueue('top') },
    { label: 'queueUp', icon: 'up', run: inQueue('up') },
    { label: 'queueDown', icon: 'down', run: inQueue('down') },
    { label: 'queueBottom', icon: 'down', run: inQueue('bottom') },
  ],
  [
    { label: 'labels', icon: 'filter' },
    { label: 'move', icon: 'out' },
    { label: 'limits', icon: 'gear' },
    { label: 'goals', icon: 'chart' },
    { label: 'hops', icon: 'circuit' },
  ],
  [
    { label: 'magnets', icon: 'link', run: copyMagnets },
    { label: 'torrents', icon: 'save', run: save },
  ],
  [{ label: 'remove', icon: 'trash' }],
]
