// `top`: a live screen of the busiest downloads on a terminal; elsewhere one look, without any code for a terminal.

import { type CommandContext, print } from './command-run.ts'
import { CommandError, EXIT } from './node-client.ts'
import { SORTS, type TopSort, type TopView, topLines, topRoom } from './top-lines.ts'

const LOOK_MS = 1000
/** Where there is no terminal. */
const PLAIN = { columns: 121, rows: 41 }
/** The other screen of a terminal, without a cursor; and back. */
const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const CTRL_C = '\u0003'

async function look({ node }: CommandContext, sort: TopSort, room: number): Promise<TopView> {
  const parameters = { sort: sort.sort, limit: Math.min(1000, room), get_totals: true }
  const { downloads, totals } = await node.call('GET /downloads', { parameters })
  if (totals === undefined) throw new CommandError('The node is older than this command.')
  return { rows: downloads, totals, sort }
}

/** Shows it until the person quits; CommandError where the node answers no more. */
export async function runTop(context: CommandContext, sort: TopSort): Promise<void> {
  const { stdin, stdout } = process
  if (context.json || !stdout.isTTY || !stdin.isTTY) {
    const view = await look(context, sort, topRoom(PLAIN))
    return context.show({ downloads: view.rows, totals: view.totals }, () => `${topText(view)}\n`)
  }
  const keys = new Keys(sort)
  process.once('SIGTERM', keys.quit).once('SIGHUP', keys.quit)
  stdin.setEncoding('utf8').on('data', keys.take).setRawMode(true).resume()
  stdout.on('resize', keys.wake)
  print(ENTER)
  try {
    while (!keys.over) {
      const view = await Promise.race([look(context, keys.sort, topRoom(stdout)), keys.ended])
      if (view === null) break
      print(
        `\u001b[H${topLines(view, stdout)
          .map(line => `${line}\u001b[K\n`)
          .join('')}\u001b[J`,
      )
      await keys.next(LOOK_MS)
    }
  } finally {
    stdin.setRawMode(false).pause()
    print(LEAVE)
  }
  // A question that a node does not answer would keep the process, and raw terminals have no Ctrl+C.
  process.exit(EXIT.fine)
}

/** Without keys, which nobody presses there. */
function topText(view: TopView): string {
  return topLines(view, PLAIN).slice(0, -1).join('\n')
}

/** What was pressed: another order, or the end. */
class Keys {
  sort: TopSort
  over = false
  /** Comes with the end. */
  readonly ended: Promise<null>
  #end: () => void = () => undefined
  #wake: () => void = () => undefined

  constructor(sort: TopSort) {
    this.sort = sort
    this.ended = new Promise(resolve => {
      this.#end = () => resolve(null)
    })
  }

  /** Keys as the terminal sends them, several at a time when they come quickly. */
  readonly take = (text: string): void => {
    for (const key of text) {
      if (key === 'q' || key === CTRL_C) this.quit()
      this.sort = SORTS.find(one => one.key === key) ?? this.sort
    }
    this.wake()
  }

  readonly quit = (): void => {
    this.over = true
    this.#end()
    this.wake()
  }

  /** Draws at once. */
  readonly wake = (): void => this.#wake()

  /** Until a key, another size, or so long. */
  next(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (this.over) this.#wake()
    })
  }
}
