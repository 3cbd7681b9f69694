// Commands that are one request: a table of them, and `call` for any request there is.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CoreRoutes } from '../client/core-routes.ts'
import { type RequestParts, requestOf } from '../client/request.ts'
import type { ReplyOf } from '../client/routes.ts'
import type { ChapterCommands } from './chapter-commands.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
import { hopCount } from './hop-count.ts'
import { CommandError, type JsonObject } from './node-client.ts'
import { writeOutput } from './output-file.ts'
import type { ArgumentKind, PlainCommand, PlainCommandOf } from './plain-command.ts'
import { refuseSecret } from './secret-input.ts'
import { printable } from './show.ts'

const COMMANDS: readonly PlainCommandOf<CoreRoutes>[] = [
  { words: 'state', route: 'GET /state', text: 'State of the node.' },
  {
    words: 'variables',
    route: 'GET /variables',
    text: 'Ports in use, and where the node is in the network.',
  },
  { words: 'health', route: 'GET /healthz', text: 'Whether the node answers; needs no key.' },
  { words: 'shutdown', route: 'PUT /shutdown', human: () => 'The node stops.\n', text: 'Stop the node.' },
  { words: 'stats dispersy', route: 'GET /statistics/dispersy', text: 'Packets, bytes and run time.' },
  { words: 'stats ipv8', route: 'GET /statistics/ipv8', text: 'Bytes of the overlays of circuits.' },
  { words: 'stats tribler', route: 'GET /statistics/tribler', text: 'Size of the store, and the queues.' },
  { words: 'stats communities', route: 'GET /statistics/communities', text: 'Overlays and the DHT.' },
  {
    words: 'torrent-info',
    route: 'GET /torrentinfo',
    parameters: { torrent: 'path' },
    text: 'The metadata behind a magnet, a link or a torrent file of the node.',
    options: [
      {
        flags: '--hops <n>',
        parameter: 'anon_hops',
        read: hopCount,
        text: 'look for it over so many hops; default: as many as a new download has',
      },
    ],
  },
  { words: 'updates followed', route: 'GET /updates/followed', text: 'Updated torrents that are followed.' },
  {
    words: 'updates check',
    route: 'POST /updates/followed/{target}/check',
    text: 'Look for a new version now.',
  },
  { words: 'updates unfollow', route: 'DELETE /updates/followed/{target}', text: 'Follow it no longer.' },
  { words: 'updates published', route: 'GET /updates/published', text: 'Updated torrents of this node.' },
  {
    words: 'updates publish',
    route: 'PUT /updates/published',
    parameters: { name: 'text', infohash: 'text' },
    text: 'Publish a download as the newest version of a name.',
  },
  { words: 'updates withdraw', route: 'DELETE /updates/published/{name}', text: 'Publish a name no longer.' },
  {
    words: 'create-there',
    route: 'POST /createtorrent',
    parameters: { path: 'path' },
    text: 'Make a torrent of a file or folder of the node; see create for one of this machine.',
  },
  { words: 'debug cpu', route: 'GET /debug/cpu/history', text: 'Processor time over the last hour.' },
  { words: 'debug memory', route: 'GET /debug/memory/history', text: 'Memory over the last hour.' },
  {
    words: 'debug memory-dump',
    route: 'GET /debug/memory/dump',
    bytes: true,
    text: 'A heap snapshot. The node stands still while it is made; needs the first key.',
  },
  { words: 'debug open-files', route: 'GET /debug/open_files', text: 'Open files.' },
  { words: 'debug open-sockets', route: 'GET /debug/open_sockets', text: 'Open sockets.' },
  { words: 'debug threads', route: 'GET /debug/threads', text: 'Stacks of all threads.' },
  { words: 'debug doctor', route: 'GET /debug/doctor', text: 'As doctor, of a node that runs elsewhere too.' },
  {
    words: 'debug log',
    route: 'GET /debug/log',
    parameters: { process: { default: 'core' }, max_lines: { default: '100' } },
    human: logLines,
    text: 'The end of the log.',
  },
  { words: 'debug profiler', route: 'GET /debug/profiler', text: 'Whether the profiler runs.' },
  { words: 'debug profiler-start', route: 'PUT /debug/profiler', text: 'Start the profiler.' },
  { words: 'debug profiler-stop', route: 'DELETE /debug/profiler', text: 'Stop it; the profile is a file.' },
  { words: 'keys list', route: 'GET /keys', text: 'Keys of the running node beside the first one.' },
  {
    words: 'keys add',
    route: 'PUT /keys',
    parameters: { name: 'text', scopes: 'list' },
    options: [
      {
        flags: '--label <name>',
        parameter: 'label',
        text: 'it opens nothing but downloads of this label',
        read: text => text,
      },
    ],
    text: 'Make a key; scopes with commas between. It is shown this once.',
  },
  { words: 'keys remove', route: 'DELETE /keys/{name}', text: 'Take a key back.' },
  { words: 'links list', route: 'GET /links', text: 'Links that were given away (stream-url --days).' },
  { words: 'links remove', route: 'DELETE /links/{id}', text: 'Take a link back.' },
  { words: 'metrics', route: 'GET /metrics', text: 'Figures for Prometheus.', bytes: true },
  { words: 'api', route: 'GET /docs/openapi.json', text: 'The interface of the node as OpenAPI.' },
]

const GROUPS: Readonly<Record<string, string>> = {
  stats: 'Statistics of the node.',
  updates: 'Torrents that are updated through the DHT (BEP 46).',
  links: 'Links that open a film without a key, for longer than a day.',
  keys: 'Keys of the running node; tributary key does the same without one.',
  debug: 'A look into the process of the node.',
}

function logLines({ content }: ReplyOf<CoreRoutes, 'GET /debug/log'>): string {
  const lines = content.split('\n')
  return lines
    .map(line => `${printable(line)}\n`)
    .join('')
    .trimStart()
}

/** Values of `name=value` arguments: JSON where it is, else text. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function addPlain(program: Command, plain: PlainCommand, groups: Groups): void {
  const [group = '', name] = plain.words.split(' ')
  const parent = name === undefined ? program : groupOf(program, group, groups)
  const command = forNode(parent.command(name ?? group).description(plain.text))
  const { options = [], parameters = {} } = plain
  const segments = [...plain.route.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
  const named = [...segments.map((segment): Argument => [segment, 'text']), ...Object.entries(parameters)]
  for (const [argument, kind] of named) {
    if (typeof kind === 'object') command.argument(`[${argument}]`, '', kind.default)
    else command.argument(`<${argument}>`)
  }
  for (const { flags, text, read } of options) command.option(flags, text, read)
  if (plain.bytes === true) command.option('-o, --output <file>', 'where to write it; - = standard output', '-')
  command.action((...given: unknown[]) => {
    const values = named.map(([argument, kind], at) => [argument, sentAs(String(given[at]), kind)])
    const chosen = options.flatMap(({ flags, parameter }): [string, string][] => {
      const value = command.getOptionValue(/^--(\w+)/.exec(flags)?.[1] ?? '') as string | number | undefined
      return value === undefined ? [] : [[parameter, `${value}`]]
    })
    const path = Object.fromEntries(values.slice(0, segments.length)) as Record<string, string>
    const asked: RequestParts<Buffer> = {
      path,
      parameters: Object.fromEntries([...values.slice(segments.length), ...chosen]) as object,
    }
    return request(plain, asked, given[named.length] as NodeFlags & { output?: string })
  })
}

type Argument = readonly [name: string, kind: ArgumentKind | undefined]

function sentAs(text: string, kind: ArgumentKind | undefined): string | readonly string[] {
  if (kind === 'list') return text.split(',')
  return kind === 'path' && existsSync(text) ? resolve(text) : text
}

function request(
  { route, bytes, human }: PlainCommand,
  asked: RequestParts<Buffer>,
  flags: NodeFlags & { output?: string },
): Promise<void> {
  return runForNode(flags, async ({ node, show }) => {
    const sent = requestOf(route, asked)
    if (bytes === true) return writeOutput(flags.output ?? '-', await node.connection.bytes(sent))
    // The command and what it shows are of the same route: PlainCommandOf.
    show(await node.connection.json(sent), human as ((answer: unknown) => string) | undefined)
  })
}

type Groups = Readonly<Record<string, string>>

function groupOf(program: Command, name: string, groups: Groups): Command {
  const known = program.commands.find(command => command.name() === name)
  return known ?? program.command(name).description(groups[name] ?? '')
}

function addCall(program: Command): void {
  forNode(program.command('call').description('Any request of the interface; see the command api, or /docs.'))
    .argument('<method>', 'GET, PUT, POST, PATCH, DELETE')
    .argument('<path>', 'as /downloads')
    .argument('[name=value...]', 'parameters; values are JSON, or texts')
    .action((method: string, path: string, pairs: string[], flags: NodeFlags) =>
      runForNode(flags, async ({ node }) => {
        const asked: JsonObject = {}
        const verb = method.toUpperCase()
        for (const pair of pairs) {
          const [, name, value] = /^([\w.[\]-]+)=(.*)$/s.exec(pair) ?? []
          if (name === undefined || value === undefined) throw new CommandError(`${pair} is not NAME=VALUE.`)
          refuseSecret(name)
          asked[name] = readValue(value)
        }
        const at = path.startsWith('/') ? path : `/${path}`
        const texts = Object.entries(asked).map(([name, value]): [string, string] => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ])
        const query = verb === 'GET' && pairs.length > 0 ? `?${new URLSearchParams(texts).toString()}` : ''
        const sent = { method: verb, path: at + query, body: verb === 'GET' ? undefined : asked }
        await writeOutput('-', Buffer.concat([await node.connection.bytes(sent), Buffer.from('\n')]))
      }),
    )
}

/** Adds every command of this file, and those of the chapters. */
export function addPlainCommands(program: Command, chapters: readonly ChapterCommands[]): void {
  const groups: Groups = Object.assign({}, GROUPS, ...chapters.map(chapter => chapter.groups)) as Groups
  for (const plain of [...COMMANDS, ...chapters.flatMap(chapter => chapter.plain)]) addPlain(program, plain, groups)
  for (const chapter of chapters) chapter.add(program, name => groupOf(program, name, groups))
  addCall(program)
}
