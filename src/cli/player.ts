// Starts a media player with the playlist of a download. The lines of the playlist become arguments, so that a player
// takes the subtitles beside a film, which it would not take from a list out of the network.

import { spawn, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { chosenFile, filesOf } from './chosen.ts'
import { CommandError, type NodeClient } from './node-client.ts'

/** What is played: a link, and those of files that go with it. */
export interface PlayedLink {
  readonly url: string
  readonly sidecars: readonly string[]
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

/** The arguments of a player for these links. */
export function playerArguments(player: string, links: readonly PlayedLink[]): string[] {
  if (player.endsWith('vlc')) {
    return links.flatMap(({ url, sidecars }) =>
      sidecars.length === 0 ? [url] : [url, `:input-slave=${sidecars.join('#')}`],
    )
  }
  if (!player.endsWith('mpv')) return links.map(({ url }) => url)
  return links.flatMap(({ url, sidecars }) =>
    sidecars.length === 0 ? [url] : ['--{', ...sidecars.map(sidecar => `--sub-file=${sidecar}`), url, '--}'],
  )
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
