// What every command that talks to a node has in common: its options, the node it talks to, how it prints and how it
// ends.

import { type Command, Option } from 'commander'
import type { CoreRoutes } from '../client/core-routes.ts'
import type { RouteMap } from '../client/routes.ts'
import type { FoundNode, NodeChoice } from '../node/state/find-node.ts'
import { CommandError, EXIT, NodeClient, NodeConnection } from './node-client.ts'
import { plainText } from './show.ts'
import { UNITS, unitsOf, useUnits } from './units.ts'

/** Options of every such command. */
export interface NodeFlags {
  readonly url?: string
  readonly keyFile?: string
  readonly stateDir?: string
  readonly json?: boolean
  readonly units?: string
}

/** What a command works with; `Routes`: those it asks. */
export interface CommandContext<Routes extends RouteMap = CoreRoutes> {
  readonly node: NodeClient<Routes>
  /** Prints JSON as the node sent it, or what `human` makes of it. */
  show<T>(value: T, human?: (value: T) => string): void
  readonly json: boolean
}

const CODES = 'Exit code: 0 done, 1 the node refused, 3 no node answers, 4 it does not take the key.'

/** Adds the options of commands that talk to a node. */
export function forNode(command: Command): Command {
  return command
    .option('--url <url>', 'address of the node (env: TRIBUTARY_URL); default: that of the state directory')
    .option(
      '--key-file <file>',
      'file whose first line is the key (env: CORE_API_KEY); default: of the state directory',
    )
    .option('--state-dir <dir>', 'state directory of the node (env: TRIBUTARY_STATE_DIR)')
    .option('--json', 'print what the node answers')
    .addOption(
      new Option('--units <units>', 'KiB and MiB, kB and MB, or rates in Mbit/s (env: TRIBUTARY_UNITS)')
        .choices(UNITS)
        .default(undefined, 'binary'),
    )
    .addHelpText('after', `\n${CODES}`)
}

/** Runs a command; sets the exit code. Never rejects. */
export async function runForNode<Routes extends RouteMap = CoreRoutes>(
  flags: NodeFlags,
  work: (context: CommandContext<Routes>) => Promise<void>,
): Promise<void> {
  quietPipe()
  try {
    const json = flags.json === true
    chooseUnits(flags.units)
    await work({
      node: new NodeClient<Routes>(new NodeConnection(await findNode(flags))),
      json,
      show: (value, human = plainText) => print(json ? `${JSON.stringify(value)}\n` : human(value)),
    })
  } catch (error) {
    failed(error)
  }
}

function chooseUnits(flag: string | undefined): void {
  const named = flag ?? (process.env['TRIBUTARY_UNITS'] || 'binary')
  const units = unitsOf(named)
  if (units === null) throw new CommandError(`TRIBUTARY_UNITS must be one of ${UNITS.join(', ')}.`)
  useUnits(units)
}

/** Says what went wrong and sets the exit code. */
export function failed(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  process.stderr.write(`tributary: ${text}\n`)
  process.exitCode = error instanceof CommandError ? error.exitCode : EXIT.refused
}

/** Writes to standard output. */
export function print(text: string): void {
  process.stdout.write(text)
}

/** `tributary ls | head` is no error: who reads no further ends the command, well. */
export function quietPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(EXIT.fine)
  })
}

async function findNode({ url, keyFile, stateDir }: NodeFlags): Promise<FoundNode> {
  const choice: NodeChoice = { url: url ?? null, keyFile: keyFile ?? null, stateDir: stateDir ?? null }
  return (await import('../node/state/find-node.ts')).findNode(choice)
}
