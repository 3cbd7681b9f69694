// `log`: the end of the node's log, and with --follow what comes behind it.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CommandContext, forNode, type NodeFlags, print, runForNode } from './command-run.ts'
import { isWanted, LEVELS, type Level, type LogChoice, logText, newLines } from './log-lines.ts'

const LOOK_MS = 1000
/** Lines of the log's end that are looked at: what is wanted may be rare among them. */
const LOOKED_AT = 1000
const SHOWN = 50

interface LogFlags extends NodeFlags {
  readonly follow?: boolean
  readonly lines: number
  readonly level?: Level
  readonly part?: string
}

function count(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a number of lines, at most 9999.')
  return Number(text)
}

async function endOfLog({ node }: CommandContext, lines: number): Promise<string[]> {
  const { content } = await node.call('GET /debug/log', { parameters: { process: 'core', max_lines: lines } })
  return content.split('\n').filter(line => line !== '')
}

async function log(context: CommandContext, flags: LogFlags): Promise<void> {
  const choice: LogChoice = { level: flags.level ?? null, part: flags.part ?? null }
  const write = (lines: readonly string[]): void =>
    print(lines.map(line => `${context.json ? line : logText(line)}\n`).join(''))
  let before = await endOfLog(context, Math.max(LOOKED_AT, flags.lines))
  const wanted = before.filter(line => isWanted(line, choice))
  write(flags.lines === 0 ? [] : wanted.slice(-flags.lines))
  if (flags.follow !== true) {
    if (wanted.length === 0 && !context.json) print('No lines of the log are like that.\n')
    return
  }
  for (;;) {
    await sleep(LOOK_MS)
    const now = await endOfLog(context, LOOKED_AT)
    const { lines, missed } = newLines(before.slice(-LOOKED_AT), now)
    if (missed) process.stderr.write('tributary: the log is quicker than this command: lines are missing here.\n')
    write(lines.filter(line => isWanted(line, choice)))
    if (now.length > 0) before = now
  }
}

/** Adds the command. */
export function addLogCommand(program: Command): void {
  forNode(program.command('log').description('The end of the log of the node; -f follows it.'))
    .option('-f, --follow', 'go on with new lines, until interrupted')
    .option('-n, --lines <n>', 'so many lines of what is there', count, SHOWN)
    .addOption(new Option('-l, --level <level>', 'lines of this level and worse').choices(LEVELS))
    .option('-p, --part <part>', 'lines of this part of the node, as dht, tracker or overlay')
    .action((flags: LogFlags) => runForNode(flags, context => log(context, flags)))
}
