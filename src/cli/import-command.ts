// The command `import`: asks the node for the torrents of another client's folder, part by part, and prints a line for
// each.

import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { CoreRoutes } from '../client/core-routes.ts'
import type { ParametersOf, ReplyOf } from '../client/routes.ts'
import { type CommandContext, forNode, type NodeFlags, print, runForNode } from './command-run.ts'
import { EXIT } from './node-client.ts'
import { printable } from './show.ts'

interface ImportFlags extends NodeFlags {
  readonly from: string
  readonly map: readonly (readonly [string, string])[]
  readonly dryRun?: boolean
  readonly sample?: number
}

type Request = ParametersOf<CoreRoutes, 'POST /import'>
type Imported = ReplyOf<CoreRoutes, 'POST /import'>['results'][number]

const WIDTH = 'imported'.length

/** Adds it. */
export function addImportCommand(program: Command): void {
  forNode(
    program
      .command('import')
      .description('Take over the torrents of another client, with what it had verified. Stop that client first.')
      .argument('<folder>', 'its folder on the machine of the node: BT_backup, or the one with resume/ in it')
      .requiredOption('--from <client>', 'transmission, qbittorrent or libtorrent')
      .option('--map <theirs=ours>', 'where a path of that client is here; may be repeated', collectPair, [])
      .option('--dry-run', 'tell what would be done, and add nothing')
      .option('--sample <n>', 'pieces of each torrent that are hashed as evidence, 0 to 16 (default: 1)', wholeNumber),
  ).action((folder: string, flags: ImportFlags) => runForNode(flags, context => importAll(context, folder, flags)))
}

function collectPair(text: string, earlier: (readonly [string, string])[]): (readonly [string, string])[] {
  // Paths of Windows have no `=` in their first letters, paths here begin with `/`.
  const at = text.lastIndexOf('=/')
  if (at <= 0) throw new InvalidArgumentError('It must be THEIRS=OURS, and OURS an absolute path.')
  return [...earlier, [text.slice(0, at), text.slice(at + 1)]]
}

function wholeNumber(text: string): number {
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

async function importAll({ node, json }: CommandContext, folder: string, flags: ImportFlags): Promise<void> {
  const request: Request = {
    // The node says which clients it knows.
    from: flags.from as Request['from'],
    // As `move` and `add --to`: what is not absolute is meant from here.
    folder: resolve(folder),
    dry_run: flags.dryRun === true,
    ...(flags.map.length > 0 && { map: flags.map }),
    ...(flags.sample !== undefined && { sample: flags.sample }),
  }
  const counts = new Map<string, number>()
  const all: Imported[] = []
  let after = ''
  do {
    const part = await node.call('POST /import', { parameters: { ...request, after } })
    for (const one of part.results) {
      counts.set(one.result, (counts.get(one.result) ?? 0) + 1)
      if (json) all.push(one)
      else print(lineOf(one))
    }
    after = part.next
  } while (after !== '')
  if (json) print(`${JSON.stringify({ results: all })}\n`)
  else print(summary(counts, flags.dryRun === true))
  if (counts.has('refused')) process.exitCode = EXIT.refused
}

function lineOf({ source, infohash, name, result, reasons, pieces, pieces_kept: kept }: Imported): string {
  const part = pieces === 0 || result === 'exists' || result === 'refused' ? '' : `  ${kept}/${pieces} pieces`
  const head = `${result.padEnd(WIDTH)}  ${(infohash || source).slice(0, 8)}  ${name || source}${part}`
  return [head, ...reasons.map(({ code, message }) => `    ${code}: ${message}`)]
    .map(line => `${printable(line)}\n`)
    .join('')
}

const WORDS = [
  ['imported', 'imported'],
  ['checking', 'imported with files to check'],
  ['paused', 'imported and paused'],
  ['exists', 'there already'],
  ['refused', 'refused'],
] as const

function summary(counts: ReadonlyMap<string, number>, dryRun: boolean): string {
  const parts = WORDS.flatMap(([result, words]) => (counts.has(result) ? [`${counts.get(result)} ${words}`] : []))
  const text = parts.length === 0 ? 'Nothing to import' : parts.join(', ')
  return `${text}.${dryRun ? ' Nothing was changed: this was a dry run.' : ''}\n`
}
