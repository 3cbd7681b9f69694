// Starts a media player with the playlist of a download. The lines of the playlist become arguments, so that a player
// takes the subtitles beside a film, which it would not take from a list out of the network. Each film goes on where it
// was left, as the node knows.

import { spawn, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchingRecord } from '../client/core-routes.ts'
import { chosenFile, filesOf } from './chosen.ts'
import { CommandError, type NodeClient } from './node-client.ts'

/** What is played: a link, and those of files that go with it. */
export interface PlayedLink {
  readonly url: string
  readonly sidecars: readonly string[]
  /** Where it begins, seconds; absent = at its start. */
  readonly startSec?: number
}

const PLAYERS = ['mpv', 'vlc'] as const
const LOOK_MS = 500

/** Waits until the files of a download are known. */
export async function waitForFiles(node: NodeClient, infohash: string): Promise<void> {
  let told = false
  for (;;) {
    const { files } = await filesOf(node, infohash)
    if (files.length > 0) return
    if (!told) process.stderr.write('Waiting for the list of files from a peer…\n')
    told = true
    await sleep(LOOK_MS)
  }
}

/** What a player is given: the whole playlist, or one file of it. */
export async function playedLinks(node: NodeClient, infohash: string, file: string | null): Promise<PlayedLink[]> {
  const { files, playlist_url: playlistUrl } = await filesOf(node, infohash)
  if (file === null) return linksOf(await playlist(node, playlistUrl))
  const { index, stream_url: streamUrl } = chosenFile(files, file)
  const listed = linksOf(await playlist(node, playlistUrl).catch(() => '')).find(({ url }) =>
    url.includes(`/stream/${index}/`),
  )
  return [listed ?? { url: node.url + streamUrl, sidecars: [] }]
}

async function playlist(node: NodeClient, url: string): Promise<string> {
  return (await node.connection.bytes({ method: 'GET', path: url, body: undefined })).toString()
}

/** The entries of a playlist as this node writes it. */
export function linksOf(text: string): PlayedLink[] {
  const links: PlayedLink[] = []
  let sidecars: string[] = []
  for (const line of text.split('\n')) {
    const slaves = /^#EXTVLCOPT:input-slave=(.*)$/.exec(line)?.[1]
    if (slaves !== undefined) sidecars = slaves.split('#')
    if (!/^https?:/.test(line)) continue
    links.push({ url: line, sidecars })
    sidecars = []
  }
  return links
}

// The key may play, but not read places; the node is older than its list of them.
const NO_PLACES: ReadonlySet<string> = new Set(['ScopeMissing', 'NotFound'])

/** Where the files of a download were left; none where this key, or a node of before, cannot tell. */
export async function leftOf(node: Pick<NodeClient, 'call'>, infohash: string): Promise<WatchingRecord[]> {
  try {
    return (await node.call('GET /downloads/{infohash}/watching', { path: { infohash } })).watching
  } catch (error) {
    if (error instanceof CommandError && NO_PLACES.has(error.code)) return []
    throw error
  }
}

/** Each link from where its file was left; what was watched before the first that was not is passed over. */
export function continued(links: readonly PlayedLink[], left: readonly WatchingRecord[]): PlayedLink[] {
  const byIndex = new Map(left.map(record => [record.fileindex, record]))
  const recordOf = ({ url }: PlayedLink): WatchingRecord | undefined =>
    byIndex.get(Number(/\/stream\/(\d+)\b/.exec(url)?.[1] ?? -1))
  const first = links.findIndex(link => recordOf(link)?.watched !== true || (recordOf(link)?.continue_at ?? 0) > 0)
  return links.slice(Math.max(0, first)).map(link => {
    const startSec = recordOf(link)?.continue_at ?? 0
    return startSec > 0 ? { ...link, startSec } : link
  })
}

/** The arguments of a player for these links. */
export function playerArguments(player: string, links: readonly PlayedLink[]): string[] {
  if (player.endsWith('vlc')) return links.flatMap(vlcArguments)
  return player.endsWith('mpv') ? links.flatMap(mpvArguments) : links.map(({ url }) => url)
}

function vlcArguments({ url, sidecars, startSec }: PlayedLink): string[] {
  const start = startSec === undefined ? [] : [`:start-time=${Math.floor(startSec)}`]
  return sidecars.length === 0 ? [url, ...start] : [url, `:input-slave=${sidecars.join('#')}`, ...start]
}

function mpvArguments({ url, sidecars, startSec }: PlayedLink): string[] {
  const start = startSec === undefined ? [] : [`--start=${startSec}`]
  const own = [...sidecars.map(sidecar => `--sub-file=${sidecar}`), ...start]
  return own.length === 0 ? [url] : ['--{', ...own, url, '--}']
}

/** The player to use. CommandError when there is none. */
export function playerOf(chosen: string | null): string {
  const named = chosen ?? (process.env['TRIBUTARY_PLAYER'] || null)
  if (named !== null) return named
  const found = PLAYERS.find(player => spawnSync(player, ['--version'], { stdio: 'ignore' }).error === undefined)
  if (found === undefined) throw new CommandError(`Neither ${PLAYERS.join(' nor ')} is installed; see --player.`)
  return found
}

/** Runs the player to its end; its exit code. */
export function runPlayer(player: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(player, args, { stdio: 'inherit' })
    child.once('error', () => reject(new CommandError(`${player} cannot be started.`)))
    child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
  })
}
