// A reporter of node:test: one JSON line for each test that failed and one for each that ended red at the top, which a
// file with a process of its own does too; nothing for the others, and a last line when all were heard of. test-run.ts
// reads it.

import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** A test that failed. */
export interface Failure {
  /** Path of the file in which the test stands: perhaps one that the file which was started shares with others. */
  readonly file: string
  /** Name of the test; of the file where that failed as a whole. */
  readonly name: string
  /** First lines of what it threw. */
  readonly error: string
}

/** What ended red at the top: a test, or a file that was started, whose name is then its path. */
export interface RedEnd {
  readonly ended: string
}

/** The last line: without it the process ended before its tests had. */
export const END_LINE = '"end"'

/** Enough of an error to know which expectation it was. */
const MAX_ERROR_LENGTH = 300

function textOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  // What is no error need not have a text: an assertion that compares objects without a prototype.
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause, { depth: 1 })
  return text.slice(0, MAX_ERROR_LENGTH)
}

function failureOf({ name, file, details }: Extract<TestEvent, { type: 'test:fail' }>['data']): Failure {
  return { file: file ?? name, name, error: textOf(details.error) }
}

/** The reporter. */
export default async function* failureList(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type === 'test:complete' && event.data.nesting === 0 && !event.data.details.passed) {
      const end: RedEnd = { ended: event.data.name }
      yield `${JSON.stringify(end)}\n`
    }
    if (event.type === 'test:fail' && event.data.todo === undefined) yield `${JSON.stringify(failureOf(event.data))}\n`
  }
  yield `${END_LINE}\n`
}
