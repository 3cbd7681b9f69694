// One request for each of many downloads: what was done is said, what was refused too, and the others go on. Before
// many are removed at a stroke there is a question.

import { createInterface } from 'node:readline/promises'
import type { Download } from '../client/core-routes.ts'
import { isSelector } from './chosen.ts'
import type { CommandContext } from './command-run.ts'
import { CommandError, EXIT } from './node-client.ts'
import { printable } from './show.ts'

/** Lines of more downloads would hide what went wrong. */
const NAMED = 20

/**
 * Asks for each of `rows`, one behind the other. `said` says what was done to one, by its name. Those that the node
 * refuses are said at the end, and the command ends as refused; CommandError at once when it answers no more.
 */
export async function changeEach<Reply>(
  { show, json }: Pick<CommandContext, 'show' | 'json'>,
  rows: readonly Download[],
  ask: (row: Download) => Promise<Reply>,
  said: (name: string) => string,
): Promise<void> {
  const answers: Reply[] = []
  const lines: string[] = []
  const refused: string[] = []
  for (const row of rows) {
    try {
      answers.push(await ask(row))
      lines.push(said(nameOf(row)))
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== EXIT.refused) throw error
      if (rows.length === 1) throw error
      refused.push(`${nameOf(row)}: ${error.message}`)
    }
  }
  if (json || rows.length > 0) show(answers, () => doneText(lines))
  else show(answers, () => 'There are no downloads.\n')
  if (refused.length > 0) throw new CommandError(refusedText(refused, rows.length))
}

function nameOf({ name, infohash }: Download): string {
  return name === '' ? infohash.slice(0, 8) : printable(name)
}

/** A line for each, and how many more there are. */
export function doneText(lines: readonly string[]): string {
  const shown = lines.length > NAMED ? lines.slice(0, NAMED - 1) : lines
  const more = lines.length - shown.length
  return [...shown, ...(more > 0 ? [`And ${more} more: ${lines.length} in all.`] : [])]
    .map(line => `${line}\n`)
    .join('')
}

function refusedText(refused: readonly string[], all: number): string {
  const shown = refused.slice(0, NAMED).map(line => `\n  ${line}`)
  const more = refused.length > NAMED ? `\n  and ${refused.length - NAMED} more` : ''
  return `${refused.length} of ${all} were refused:${shown.join('')}${more}`
}

/** Names in the question. */
const ASKED = 5

/** What is asked. */
export function removalQuestion(rows: readonly Download[], data: boolean): string {
  const names = rows.slice(0, ASKED).map(({ name }) => `  ${printable(name)}\n`)
  const more = rows.length > ASKED ? `  and ${rows.length - ASKED} more\n` : ''
  return `${names.join('')}${more}Remove ${rows.length} downloads${data ? ' and delete their files' : ''}? [y/N] `
}

/**
 * Returns where it may go on: each was named, or the person at the terminal says yes. Without a terminal `all` is taken
 * at its word, as scripts have it; a pattern or a label, which may mean more than was thought, needs --yes.
 * CommandError: it may not.
 */
export async function confirmRemoval(
  texts: readonly string[],
  rows: readonly Download[],
  data: boolean,
): Promise<void> {
  const selectors = texts.filter(isSelector)
  if (selectors.length === 0 || rows.length < 2) return
  if (process.stdin.isTTY && process.stderr.isTTY) {
    if (await isYes(removalQuestion(rows, data))) return
    throw new CommandError('Nothing was removed.')
  }
  const guessed = selectors.find(text => text !== 'all')
  if (guessed === undefined) return
  throw new CommandError(`${printable(guessed)} means ${rows.length} downloads; --yes removes them without a question.`)
}

async function isYes(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await reader.question(question)).trim())
  } finally {
    reader.close()
  }
}
