// Commands about downloads: what is there, adding and removing, pausing, files, peers, trackers, limits, playing.

import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CoreRoutes, Download, DownloadChange, DownloadFile, DownloadPeer } from '../client/core-routes.ts'
import type { ReplyOf } from '../client/routes.ts'
import type { AddFlags } from './add-command.ts'
import { chosenDownload, chosenDownloads, filesOf } from './chosen.ts'
import { type CommandContext, forNode, type NodeFlags, runForNode } from './command-run.ts'
import { hopCount } from './hop-count.ts'
import { infoText } from './info-text.ts'
import { addListCommand } from './list-command.ts'
import { CommandError } from './node-client.ts'
import { percentText, printable, tableText } from './show.ts'
import { rateArgument, rateText, sizeText } from './units.ts'

const DOWNLOAD = 'info hash, its first digits, or (a part of) the name'

function width(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
}

function filesText(files: readonly DownloadFile[]): string {
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

function trackersText(trackers: Download['trackers']): string {
  const columns = [{ head: 'PEERS', right: true }, { head: 'STATUS' }, { head: 'TRACKER' }]
  return tableText(
    columns,
    trackers.map(({ peers, status, url }) => [String(peers), status, url]),
    width(),
  )
}

function indexes(text: string): number[] {
  if (!/^\d{1,6}(?:,\d{1,6})*$/.test(text)) throw new InvalidArgumentError('They must be numbers, with commas between.')
  return text.split(',').map(Number)
}

function amount(text: string): number {
  if (text === 'never') return -1
  if (text === 'default') return -2
  if (!/^\d{1,9}(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number, never or default.')
  return Number(text)
}

const collect = (text: string, earlier: readonly string[]): string[] => [...earlier, text]

/** One change of each download that is meant. */
async function patchEach(
  { node, show }: CommandContext,
  texts: readonly string[],
  change: DownloadChange,
): Promise<void> {
  const answers: ReplyOf<CoreRoutes, 'PATCH /downloads/{infohash}'>[] = []
  for (const { infohash } of await chosenDownloads(node, texts)) {
    answers.push(await node.call('PATCH /downloads/{infohash}', { path: { infohash }, parameters: change }))
  }
  show(answers, () => '')
}

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
  forNode(program.command('watch').description('Show progress until downloads are there.'))
    .argument('[download...]', `${DOWNLOAD}; default: all`)
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
    .option('--sequential', 'fetch pieces in their order')
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
  forNode(program.command('rm').description('Remove downloads; their files stay unless --data is given.'))
    .argument('<download...>', `${DOWNLOAD}; all = all`)
    .option('--data', 'delete their files too')
    .action((texts: string[], flags: NodeFlags & { data?: boolean }) =>
      runForNode(flags, async ({ node, show }) => {
        const answers: ReplyOf<CoreRoutes, 'DELETE /downloads/{infohash}'>[] = []
        const parameters = { remove_data: flags.data === true }
        for (const { infohash } of await chosenDownloads(node, texts)) {
          answers.push(await node.call('DELETE /downloads/{infohash}', { path: { infohash }, parameters }))
        }
        show(answers, () => '')
      }),
    )
}

function addStates(program: Command): void {
  const states = [
    ['pause', 'stop', 'Stop downloads, also after a restart.'],
    ['recheck', 'recheck', 'Check the files of downloads against their hashes.'],
  ] as const
  for (const [name, state, text] of states) {
    forNode(program.command(name).description(text).argument('<download...>', `${DOWNLOAD}; all = all`)).action(
      (texts: string[], flags: NodeFlags) => runForNode(flags, context => patchEach(context, texts, { state })),
    )
  }
  forNode(program.command('resume').description('Let downloads run again.'))
    .argument('<download...>', `${DOWNLOAD}; all = all`)
    .option('--overwrite', 'write over files that are not of them and lie in their places')
    .action((texts: string[], flags: NodeFlags & { overwrite?: boolean }) =>
      runForNode(flags, context =>
        patchEach(context, texts, { state: 'resume', ...(flags.overwrite === true ? { overwrite: true } : {}) }),
      ),
    )
  forNode(program.command('move').description('Move the files of a download to another folder of the node.'))
    .argument('<download>', DOWNLOAD)
    .argument('<folder>', 'where to')
    .action((text: string, folder: string, flags: NodeFlags) =>
      runForNode(flags, context => patchEach(context, [text], { destination: resolve(folder) })),
    )
  forNode(
    program.command('hops').description('Do a download anonymously, over so many hops of circuits; 0 = in the open.'),
  )
    .argument('<download>', DOWNLOAD)
    .argument('<n>', '0 to 3: each hop hides more, and costs speed', hopCount)
    .addHelpText(
      'after',
      '\nConnections of the old kind are closed before one of the new kind opens; what is there stays. See docs/anonymity.md.',
    )
    .action((text: string, hops: number, flags: NodeFlags) =>
      runForNode(flags, context => patchEach(context, [text], { anon_hops: hops })),
    )
  forNode(program.command('limit').description('Limits and goals of downloads.'))
    .argument('<download...>', `${DOWNLOAD}; all = all`)
    .option('--down <speed>', 'bytes a second, also 500k, 2M or 8Mbit; 0 = no limit of its own', rateArgument)
    .option('--up <speed>', 'the same for uploads', rateArgument)
    .option('--ratio <n>', 'seed until this ratio; never = no end, default = as the settings say', amount)
    .option('--time <minutes>', 'seed so long; never, default', amount)
    .option('--label <label>', 'the labels it has from now on; may be repeated', collect, [])
    .option('--no-labels', 'take all labels away')
    .addOption(new Option('--sequential <state>', 'pieces in their order').choices(['on', 'off']))
    .addOption(
      new Option('--forget <state>', 'fetch only what is read, and remove it hours after the last reader').choices([
        'on',
        'off',
      ]),
    )
    .action((texts: string[], flags: NodeFlags & LimitFlags) =>
      runForNode(flags, context => patchEach(context, texts, limitChange(flags))),
    )
}

interface LimitFlags {
  down?: number
  up?: number
  ratio?: number
  time?: number
  label: string[]
  labels: boolean
  sequential?: string
  forget?: string
}

function limitChange({ down, up, ratio, time, label, labels, sequential, forget }: LimitFlags): DownloadChange {
  const change = {
    ...(down !== undefined && { max_download_speed: down }),
    ...(up !== undefined && { max_upload_speed: up }),
    ...(ratio !== undefined && { seeding_ratio: ratio }),
    ...(time !== undefined && { seeding_time: time }),
    ...(label.length > 0 && { labels: label }),
    ...(!labels && { labels: [] }),
    ...(sequential !== undefined && { sequential: sequential === 'on' }),
    ...(forget !== undefined && { watch_and_forget: forget === 'on' }),
  }
  if (Object.keys(change).length === 0) throw new CommandError('Nothing to change; see tributary limit --help.')
  return change
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
  forNode(program.command('peers').description('Peers of a download.').argument('<download>', DOWNLOAD)).action(
    (text: string, flags: NodeFlags) =>
      runForNode(flags, async ({ node, show }) => {
        const { peers = [] } = await chosenDownload(node, text, { get_peers: true })
        show({ peers }, () => peersText(peers))
      }),
  )
  forNode(program.command('trackers').description('Trackers of a download; adds, removes and asks them.'))
    .argument('<download>', DOWNLOAD)
    .option('--add <url>', 'add one; may be repeated', collect, [])
    .option('--remove <url>', 'take one away; may be repeated', collect, [])
    .option('--announce', 'announce now')
    .action((text: string, flags: NodeFlags & { add: string[]; remove: string[]; announce?: boolean }) =>
      runForNode(flags, async ({ node, show }) => {
        const { infohash } = await chosenDownload(node, text)
        const path = { infohash }
        for (const url of flags.add)
          await node.call('PUT /downloads/{infohash}/trackers', { path, parameters: { url } })
        for (const url of flags.remove)
          await node.call('DELETE /downloads/{infohash}/trackers', { path, parameters: { url } })
        if (flags.announce === true) await node.call('PUT /downloads/{infohash}/tracker_force_announce', { path })
        const { trackers } = await chosenDownload(node, infohash)
        show({ trackers }, () => trackersText(trackers))
      }),
    )
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
  addListCommand(program)
  addListing(program)
  addStates(program)
  addParts(program)
}
