// Commands about downloads: what is there, adding and removing, pausing, files, peers, trackers, limits, playing.

import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { DownloadFile, DownloadPeer } from '../client/core-routes.ts'
import type { AddFlags } from './add-command.ts'
import { chosenDownload, DOWNLOAD, filesOf, MANY } from './chosen.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
import { hopCount } from './hop-count.ts'
import { infoText } from './info-text.ts'
import { addChangeCommands } from './change-commands.ts'
import { addListCommand, addTopCommand } from './list-command.ts'
import { addRatesCommand } from './detail/rates-command.ts'
import { addTrackersCommand } from './detail/trackers-command.ts'
import { CommandError } from './node-client.ts'
import { percentText, printable, tableText } from './show.ts'
import { rateText, sizeText } from './units.ts'

function width(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
}

function filesText(files: readonly DownloadFile[]): string {
  if (files.length === 0) return 'Its files are not known yet: the metadata has not come.\n'
  const columns = [...['#', 'DONE', 'SIZE', 'PRIO'].map(head => ({ head, right: true })), { head: 'NAME' }]
  const lines = files.map(file => [
    String(file.index),
    percentText(file.progress),
    sizeText(file.size),
    file.included ? String(file.priority) : '-',
    file.name,
  ])
  return tableText(columns, lines, width())
}

function peersText(peers: readonly DownloadPeer[]): string {
  if (peers.length === 0) return 'No peers are connected; tributary explain says why.\n'
  const columns = [
    { head: 'ADDRESS' },
    ...['DONE', 'DOWN', 'UP'].map(head => ({ head, right: true })),
    { head: 'ENCRYPTION' },
    { head: 'CLIENT' },
  ]
  const lines = peers.map(peer => [
    peer.ip.includes(':') ? `[${peer.ip}]:${peer.port}` : `${peer.ip}:${peer.port}`,
    percentText(peer.completed),
    rateText(peer.downrate),
    rateText(peer.uprate),
    peer.encryption,
    peer.client,
  ])
  return tableText(columns, lines, width())
}

function calledText(called: number, named: number): string {
  const fresh = called === 0 ? '' : `While the download runs it connects to ${peerCount(called)}.\n`
  const known = named - called
  return fresh + (known === 0 ? '' : `It is connected to ${peerCount(known)} already, or connecting.\n`)
}

function peerCount(count: number): string {
  return count === 1 ? '1 peer' : `${count} peers`
}

function indexes(text: string): number[] {
  if (!/^\d{1,6}(?:,\d{1,6})*$/.test(text)) throw new InvalidArgumentError('They must be numbers, with commas between.')
  return text.split(',').map(Number)
}

const collect = (text: string, earlier: readonly string[]): string[] => [...earlier, text]

function addListing(program: Command): void {
  forNode(
    program
      .command('info')
      .description('Facts of a download; all its fields with --json.')
      .argument('<download>', DOWNLOAD),
  ).action((text: string, flags: NodeFlags) =>
    runForNode(flags, async ({ node, show }) => show(await chosenDownload(node, text), infoText)),
  )
  forNode(
    program.command('explain').description('Why a download does not move.').argument('<download>', DOWNLOAD),
  ).action((text: string, flags: NodeFlags) =>
    runForNode(flags, async ({ node, show }) => {
      const { infohash } = await chosenDownload(node, text)
      const answer = await node.call('GET /downloads/{infohash}/explain', { path: { infohash } })
      show(answer, ({ reasons }) =>
        reasons.length === 0 ? 'Nothing is in the way.\n' : reasons.map(one => `${printable(one.message)}\n`).join(''),
      )
    }),
  )
  addRatesCommand(program)
  forNode(program.command('watch').description('Show progress until downloads are there.'))
    .argument('[download...]', `${MANY}; default: all`)
    .action((texts: string[], flags: NodeFlags) =>
      runForNode(flags, async context => {
        const { watchDownloads } = await import('./watch.ts')
        await watchDownloads(context, texts.length === 0 ? ['all'] : texts)
      }),
    )
}

function addAdding(program: Command): void {
  forNode(program.command('add').description('Add magnets, links and torrent files; prints their info hashes.'))
    .argument('<source...>', 'a magnet, an http(s) link, an info hash, a torrent file; - = standard input')
    .option('-t, --to <folder>', 'folder of the node to download to')
    .option('-p, --paused', 'do not start it')
    .option('-l, --label <label>', 'a label; may be repeated', collect, [])
    .option('-s, --select <indexes>', 'files to fetch, with commas between; default: all', indexes)
    .option('--sequential', 'download in order, for watching')
    .option('--hops <n>', 'anonymously, over so many hops', hopCount)
    .option('--overwrite', 'write over files that are not of it and lie in its places')
    .option('--forget', 'fetch only what is read, keep it for a while, remove it hours after the last reader')
    .option('-w, --watch', 'show progress until it is there')
    .action((sources: string[], flags: NodeFlags & AddFlags & { watch?: boolean }) =>
      runForNode(flags, async context => {
        const { addSource } = await import('./add-command.ts')
        const request = flags.to === undefined ? flags : { ...flags, to: resolve(flags.to) }
        const added: string[] = []
        for (const source of sources) added.push(await addSource(context.node, source, request))
        context.show({ infohashes: added }, () => added.map(infohash => `${infohash}\n`).join(''))
        if (flags.watch === true) await (await import('./watch.ts')).watchDownloads(context, added)
      }),
    )
}

/** What is looked at before a download is added. */
function addLooking(program: Command): void {
  forNode(program.command('torrent-files').description('Files of a torrent before it is added, for add --select.'))
    .argument('<source>', 'a magnet, an http(s) link, an info hash, a torrent file; - = standard input')
    .option('--hops <n>', 'look for it over so many hops; default: as many as a new download has', hopCount)
    .action((source: string, flags: NodeFlags & { hops?: number }) =>
      runForNode(flags, async ({ node, show }) => {
        const { torrentFiles } = await import('./add-command.ts')
        show(await torrentFiles(node, source, flags.hops), ({ name, files, download_exists: exists }) => {
          const lines = files.map(file => [String(file.index), sizeText(file.size), file.name])
          const heads = [{ head: '#', right: true }, { head: 'SIZE', right: true }, { head: 'NAME' }]
          const known = exists ? 'It is a download already.\n' : ''
          return `${printable(name)}\n${known}${tableText(heads, lines, width())}`
        })
      }),
    )
  forNode(program.command('folders').description('Folders in a folder of the node, and the room there.'))
    .argument('[path]', 'absolute; default: where new downloads go')
    .action((path: string | undefined, flags: NodeFlags) =>
      runForNode(flags, async ({ node, show }) => {
        const parameters = path === undefined ? {} : { path }
        show(await node.call('GET /folders', { parameters }), folder => {
          const room = folder.free_bytes === null ? '' : `, ${sizeText(folder.free_bytes)} free`
          const head = `${printable(folder.path)}${folder.exists ? '' : ' (will be created)'}${room}\n`
          const names = folder.folders.map(name => `${printable(name)}/\n`).join('')
          return `${head}${names}${folder.more ? '… and more.\n' : ''}`
        })
      }),
    )
}

function addParts(program: Command): void {
  forNode(program.command('files').description('Files of a download; with --select or --priority changes them.'))
    .argument('<download>', DOWNLOAD)
    .option('-s, --select <indexes>', 'fetch these and no others', indexes)
    .option('--priority <index=n>', '0 = not fetched, 1 (last) to 7 (first); may be repeated', collect, [])
    .action((text: string, flags: NodeFlags & { select?: number[]; priority: string[] }) =>
      runForNode(flags, async ({ node, show }) => {
        const { infohash } = await chosenDownload(node, text)
        const change = {
          ...(flags.select !== undefined && { selected_files: flags.select }),
          ...(flags.priority.length > 0 && { file_priorities: prioritiesOf(flags.priority) }),
        }
        if (Object.keys(change).length > 0)
          await node.call('PATCH /downloads/{infohash}', { path: { infohash }, parameters: change })
        show(await filesOf(node, infohash), ({ files }) => filesText(files))
      }),
    )
  forNode(program.command('peers').description('Peers of a download; connects to others.'))
    .argument('<download>', DOWNLOAD)
    .option('--add <address>', 'connect to the peer at this IP address and port; may be repeated', collect, [])
    .action((text: string, flags: NodeFlags & { readonly add: string[] }) =>
      runForNode(flags, async ({ node, show }) => {
        const { peers = [], infohash } = await chosenDownload(node, text, { get_peers: true })
        const added = { called: 0 }
        for (const address of flags.add) {
          const request = { path: { infohash }, parameters: { address } }
          if ((await node.call('PUT /downloads/{infohash}/peers', request)).added) added.called++
        }
        if (flags.add.length > 0) show(added, ({ called }) => calledText(called, flags.add.length))
        else show({ peers }, () => peersText(peers))
      }),
    )
  addTrackersCommand(program)
  forNode(
    program.command('magnet').description('A magnet link of a download.').argument('<download>', DOWNLOAD),
  ).action((text: string, flags: NodeFlags) =>
    runForNode(flags, async ({ node, show }) => {
      const { infohash } = await chosenDownload(node, text)
      show(await node.call('GET /downloads/{infohash}/magnet', { path: { infohash } }), ({ magnet }) => `${magnet}\n`)
    }),
  )
  forNode(
    program.command('torrent-file').description('The torrent file of a download.').argument('<download>', DOWNLOAD),
  )
    .option('-o, --output <file>', 'where to write it: never over a file; - = standard output', '-')
    .action((text: string, flags: NodeFlags & { output: string }) =>
      runForNode(flags, async ({ node }) => {
        const { infohash } = await chosenDownload(node, text)
        await (await import('./output-file.ts')).writeOutput(
          flags.output,
          await node.bytes('GET /downloads/{infohash}/torrent', { path: { infohash } }),
        )
      }),
    )
}

function prioritiesOf(texts: readonly string[]): number[] {
  const levels: number[] = []
  for (const text of texts) {
    const [, index, level] = /^(\d{1,6})=([0-7])$/.exec(text) ?? []
    if (index === undefined || level === undefined) throw new CommandError('--priority: INDEX=N, N from 0 to 7.')
    while (levels.length <= Number(index)) levels.push(-1)
    levels[Number(index)] = Number(level)
  }
  return levels
}

/** Adds every command of this file. */
export function addDownloadCommands(program: Command): void {
  addAdding(program)
  addLooking(program)
  addListCommand(program)
  addTopCommand(program)
  addListing(program)
  addChangeCommands(program)
  addParts(program)
}
