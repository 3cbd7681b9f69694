// Lines that are drawn over what was drawn before, where there is a terminal.

import { cutTo } from './cells.ts'
import { print } from './command-run.ts'

/** What a terminal has room for. */
export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** Lines at the end of a terminal that are replaced by the next ones. */
export class Redrawn {
  #drawn = 0

  /** No more lines than the terminal has; none wider than it is. */
  draw(lines: readonly string[]): void {
    const back = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : ''
    print(back + lines.map(line => `\u001b[2K${line}\n`).join('') + (lines.length < this.#drawn ? '\u001b[J' : ''))
    this.#drawn = lines.length
  }
}

/** What of a text there is room for: lines cut to the width, and as many as fit. */
export function fitted(text: string, { columns, rows }: ScreenSize): string[] {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.slice(0, Math.max(1, rows - 1)).map(line => cutTo(line, Math.max(1, columns - 1)))
}
