// `events`: what happens in the node, a line each, from now on or from an event on.

import { type Command, InvalidArgumentError } from 'commander'
import { forNode, type NodeFlags, print, runForNode } from './command-run.ts'
import { printable } from './show.ts'

interface EventLine {
  readonly id?: number
  readonly type: string
  readonly event?: Readonly<Record<string, unknown>>
}

function textOf({ id, type, event = {} }: EventLine): string {
  const facts = Object.entries(event).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `${String(id ?? '').padStart(6)} ${type} ${facts.join(' ')}`.trimEnd()
}

/** Adds the command. */
export function addEventsCommand(program: Command): void {
  forNode(program.command('events').description('Follow the events of the node.'))
    .option('--since <id>', 'begin behind this event; 0 = with the oldest kept')
    .option('-t, --type <type>', 'only events of this type; may be repeated', collect, [])
    .option('-n, --count <n>', 'end after so many', count)
    .action((flags: NodeFlags & { since?: string; type: string[]; count?: number }) =>
      runForNode(flags, async ({ node, json }) => {
        const wanted = new Set(flags.type)
        let left = flags.count ?? Number.POSITIVE_INFINITY
        for await (const line of node.lines('GET /events', { parameters: sinceOf(flags.since ?? '') })) {
          const event = JSON.parse(line) as EventLine
          if (wanted.size > 0 && !wanted.has(event.type)) continue
          print(`${json ? line : printable(textOf(event))}\n`)
          left -= 1
          if (left <= 0) process.exit(0)
        }
      }),
    )
}

/** What is no number goes to the node as none, which refuses it; an empty text is as good as nothing. */
function sinceOf(text: string): { readonly since?: number } {
  return text === '' ? {} : { since: /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN }
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, at least 1.')
  return Number(text)
}

function collect(text: string, earlier: readonly string[]): string[] {
  return [...earlier, text]
}
