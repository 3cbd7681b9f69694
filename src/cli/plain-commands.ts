// Commands that are one request: a table of them, and `call` for any request there is.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ChapterCommands } from './chapter-commands.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
import { hopCount } from './hop-count.ts'
import { CommandError, type JsonObject } from './node-client.ts'
import { writeOutput } from './output-file.ts'
import type { PlainCommand } from './plain-command.ts'
import { refuseSecret } from './secret-input.ts'
import { printable } from './show.ts'

const COMMANDS: readonly PlainCommand[] = [
  { words: 'state', method: 'GET', path: '/state', text: 'State of the node.' },
  {
    words: 'variables',
    method: 'GET',
    path: '/variables',
    text: 'Ports in use, and where the node is in the network.',
  },
  { words: 'health', method: 'GET', path: '/healthz', text: 'Whether the node answers; needs no key.' },
  { words: 'shutdown', method: 'PUT', path: '/shutdown', text: 'Stop the node.' },
  { words: 'stats dispersy', method: 'GET', path: '/statistics/dispersy', text: 'Packets, bytes and run time.' },
  { words: 'stats ipv8', method: 'GET', path: '/statistics/ipv8', text: 'Bytes of the overlays of circuits.' },
  { words: 'stats tribler', method: 'GET', path: '/statistics/tribler', text: 'Size of the store, and the queues.' },
  { words: 'stats communities', method: 'GET', path: '/statistics/communities', text: 'Overlays and the DHT.' },
  {
    words: 'torrent-info',
    method: 'GET',
    path: '/torrentinfo',
    parameters: ['torrent'],
    paths: ['torrent'],
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
  { words: 'updates followed', method: 'GET', path: '/updates/followed', text: 'Updated torrents that are followed.' },
  {
    words: 'updates check',
    method: 'POST',
    path: '/updates/followed/{target}/check',
    text: 'Look for a new version now.',
  },
  { words: 'updates unfollow', method: 'DELETE', path: '/updates/followed/{target}', text: 'Follow it no longer.' },
  { words: 'updates published', method: 'GET', path: '/updates/published', text: 'Updated torrents of this node.' },
  {
    words: 'updates publish',
    method: 'PUT',
    path: '/updates/published',
    parameters: ['name', 'infohash'],
    text: 'Publish a download as the newest version of a name.',
  },
  { words: 'updates withdraw', method: 'DELETE', path: '/updates/published/{name}', text: 'Publish a name no longer.' },
  {
    words: 'create-there',
    method: 'POST',
    path: '/createtorrent',
    parameters: ['path'],
    paths: ['path'],
    text: 'Make a torrent of a file or folder of the node; see create for one of this machine.',
  },
  { words: 'debug cpu', method: 'GET', path: '/debug/cpu/history', text: 'Processor time over the last hour.' },
  { words: 'debug memory', method: 'GET', path: '/debug/memory/history', text: 'Memory over the last hour.' },
  {
    words: 'debug memory-dump',
    method: 'GET',
    path: '/debug/memory/dump',
    bytes: true,
    text: 'A heap snapshot. The node stands still while it is made; needs the first key.',
  },
  { words: 'debug open-files', method: 'GET', path: '/debug/open_files', text: 'Open files.' },
  { words: 'debug open-sockets', method: 'GET', path: '/debug/open_sockets', text: 'Open sockets.' },
  { words: 'debug threads', method: 'GET', path: '/debug/threads', text: 'Stacks of all threads.' },
  {
    words: 'debug log',
    method: 'GET',
    path: '/debug/log',
    parameters: ['process', 'max_lines'],
    defaults: { process: 'core', max_lines: '100' },
    human: logLines,
    text: 'The end of the log.',
  },
  { words: 'debug profiler', method: 'GET', path: '/debug/profiler', text: 'Whether the profiler runs.' },
  { words: 'debug profiler-start', method: 'PUT', path: '/debug/profiler', text: 'Start the profiler.' },
  { words: 'debug profiler-stop', method: 'DELETE', path: '/debug/profiler', text: 'Stop it; the profile is a file.' },
  { words: 'keys list', method: 'GET', path: '/keys', text: 'Keys of the running node beside the first one.' },
  {
    words: 'keys add',
    method: 'PUT',
    path: '/keys',
    parameters: ['name', 'scopes'],
    lists: ['scopes'],
    text: 'Make a key; scopes with commas between. It is shown this once.',
  },
  { words: 'keys remove', method: 'DELETE', path: '/keys/{name}', text: 'Take a key back.' },
  { words: 'metrics', method: 'GET', path: '/metrics', text: 'Figures for Prometheus.', bytes: true },
  { words: 'api', method: 'GET', path: '/docs/openapi.json', text: 'The interface of the node as OpenAPI.' },
]

const GROUPS: Readonly<Record<string, string>> = {
  stats: 'Statistics of the node.',
  updates: 'Torrents that are updated through the DHT (BEP 46).',
  keys: 'Keys of the running node; tributary key does the same without one.',
  debug: 'A look into the process of the node.',
}

function logLines(answer: JsonObject): string {
  const lines = String(answer['content']).split('\n')
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
  const inPath = [...plain.path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
  const names = [...inPath, ...(plain.parameters ?? [])]
  for (const argument of names) {
    const fallback = plain.defaults?.[argument]
    if (fallback === undefined) command.argument(`<${argument}>`)
    else command.argument(`[${argument}]`, '', fallback)
  }
  const { options = [] } = plain
  for (const { flags, text, read } of options) command.option(flags, text, read)
  if (plain.bytes === true) command.option('-o, --output <file>', 'where to write it; - = standard output', '-')
  command.action((...given: unknown[]) => {
    const values = given.slice(0, names.length).map(String)
    const flags = given[names.length] as NodeFlags & { output?: string }
    const chosen = options.flatMap(({ flags: named, parameter }): [string, string][] => {
      const value = command.getOptionValue(/^--(\w+)/.exec(named)?.[1] ?? '') as string | number | undefined
      return value === undefined ? [] : [[parameter, `${value}`]]
    })
    return request(plain, { inPath, values, chosen }, flags)
  })
}

/** What a command was given. */
interface Given {
  readonly inPath: readonly string[]
  readonly values: readonly string[]
  /** Parameters of options. */
  readonly chosen: readonly (readonly [string, string])[]
}

function request(
  { method, path, parameters = [], lists = [], paths = [], bytes, human }: PlainCommand,
  { inPath, values, chosen }: Given,
  flags: NodeFlags & { output?: string },
): Promise<void> {
  return runForNode(flags, async ({ node, show }) => {
    const filled = inPath.reduce(
      (text, name, at) => text.replace(`{${name}}`, encodeURIComponent(values[at] ?? '')),
      path,
    )
    const asked = parameters.map((name, at): [string, string] => {
      const value = values[inPath.length + at] ?? ''
      return [name, paths.includes(name) && existsSync(value) ? resolve(value) : value]
    })
    for (const [name, value] of chosen) asked.push([name, value])
    const target = method === 'GET' && asked.length > 0 ? `${filled}?${new URLSearchParams(asked).toString()}` : filled
    if (bytes === true) return writeOutput(flags.output ?? '-', await node.bytes(method, target))
    const body =
      method === 'GET'
        ? undefined
        : Object.fromEntries(asked.map(([name, text]) => [name, lists.includes(name) ? text.split(',') : text]))
    show(await node.call(method, target, body), human)
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
        for (const pair of pairs) {
          const [, name, value] = /^([\w.[\]-]+)=(.*)$/s.exec(pair) ?? []
          if (name === undefined || value === undefined) throw new CommandError(`${pair} is not NAME=VALUE.`)
          refuseSecret(name)
          asked[name] = readValue(value)
        }
        const at = path.startsWith('/') ? path : `/${path}`
        const inQuery = method.toUpperCase() === 'GET' && pairs.length > 0
        const texts = Object.entries(asked).map(([name, value]): [string, string] => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ])
        const target = inQuery ? `${at}?${new URLSearchParams(texts).toString()}` : at
        const body = method.toUpperCase() === 'GET' ? undefined : asked
        await writeOutput('-', Buffer.concat([await node.bytes(method.toUpperCase(), target, body), Buffer.from('\n')]))
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
