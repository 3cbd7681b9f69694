// Commands that lead to a player: a link to paste, and one that starts mpv or vlc.

import { type Command, InvalidArgumentError } from 'commander'
import { chosenDownload, chosenFile, DOWNLOAD, filesOf } from './chosen.ts'
import { type CommandContext, forNode, type NodeFlags, runForNode } from './command-run.ts'
import { CommandError } from './node-client.ts'

const collect = (text: string, earlier: readonly string[]): string[] => [...earlier, text]

interface PlayFlags extends NodeFlags {
  player?: string
  playerArg: string[]
  fromStart?: boolean
}

interface LinkFlags extends NodeFlags {
  days?: number
  name?: string
  oneDevice?: boolean
}

/** Adds every command of this file. */
export function addPlayCommands(program: Command): void {
  forNode(program.command('stream-url').description('A link that plays without a key, for 24 hours or longer.'))
    .argument('<download>', DOWNLOAD)
    .argument('[file]', 'number or (a part of) the name; default: the playlist of all')
    .option('--days <n>', 'for so many days; 0 = until it is taken back (tributary links)', wholeDays)
    .option('--name <name>', 'for whom or what, as `tributary links list` shows it')
    .option('--one-device', 'for the first device that opens it, and no other')
    .action((text: string, file: string | undefined, flags: LinkFlags) =>
      runForNode(flags, async ({ node, show }) => {
        const { infohash } = await chosenDownload(node, text)
        const path = await linkTo(node, infohash, file, flags)
        show({ url: node.url + path }, ({ url }) => `${url}\n`)
      }),
    )
  forNode(
    program.command('play').description('Play a download in mpv or vlc, also while it comes in; adds it if need be.'),
  )
    .argument('<download|source>', `${DOWNLOAD}; or a magnet, a link, a torrent file`)
    .argument('[file]', 'number or (a part of) the name; default: all, in their order')
    .option('--player <program>', 'mpv, vlc or another program (env: TRIBUTARY_PLAYER)')
    .option('--player-arg <arg>', 'an argument for the player; may be repeated', collect, [])
    .option('--from-start', 'not where it was left')
    .addHelpText('after', 'mpv and vlc go on where each film was left. The exit code is that of the player.')
    .action((text: string, file: string | undefined, flags: PlayFlags) =>
      runForNode(flags, async context => play(context, text, file ?? null, flags)),
    )
}

function wholeDays(text: string): number {
  if (!/^\d{1,4}$/.test(text))
    throw new InvalidArgumentError('It must be a number of days; 0 = until it is taken back.')
  return Number(text)
}

async function linkTo(
  node: CommandContext['node'],
  infohash: string,
  text: string | undefined,
  { days, name, oneDevice }: LinkFlags,
): Promise<string> {
  const { files, playlist_url: playlist } = await filesOf(node, infohash)
  const file = text === undefined ? null : chosenFile(files, text)
  if (file === null && files.length > 0) await checkPlaylist(node, playlist)
  if (days === undefined && name === undefined && oneDevice !== true) return file === null ? playlist : file.stream_url
  const parameters = {
    name: name ?? 'command line',
    infohash,
    ...(days === undefined ? {} : { days }),
    ...(oneDevice === true ? { one_device: true } : {}),
    ...(file === null ? {} : { fileindex: file.index }),
  }
  return (await node.call('PUT /links', { parameters })).url
}

/** CommandError where nothing is in it: its link would lead nowhere. */
async function checkPlaylist(node: CommandContext['node'], url: string): Promise<void> {
  try {
    await node.connection.bytes({ method: 'GET', path: url, body: undefined })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(
      `${error.message} Name a file to get a link to it: tributary stream-url DOWNLOAD FILE.`,
      error.exitCode,
      error.code,
    )
  }
}

async function play(
  { node, show, json }: CommandContext,
  text: string,
  file: string | null,
  flags: PlayFlags,
): Promise<void> {
  const { continued, leftOf, playedLinks, playerArguments, playerOf, runPlayer, waitForFiles } = await import(
    './player.ts'
  )
  const infohash = await knownOrAdded(node, text)
  await waitForFiles(node, infohash)
  const all = await playedLinks(node, infohash, file)
  const links = flags.fromStart === true ? all : continued(all, await leftOf(node, infohash))
  if (json) return show({ links })
  const player = playerOf(flags.player ?? null)
  const code = await runPlayer(player, [...flags.playerArg, ...playerArguments(player, links)])
  if (code !== 0) process.exitCode = code
}

async function knownOrAdded(node: CommandContext['node'], text: string): Promise<string> {
  const { existsSync } = await import('node:fs')
  if (!/^(?:magnet:|https?:|file:)/i.test(text) && !existsSync(text)) return (await chosenDownload(node, text)).infohash
  return (await import('./add-command.ts')).addSource(node, text, {})
}
