// A reporter of node:test: one JSON line for each test that failed, nothing for the others, and a last one when all
// were heard of. test-run.ts reads it.

import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** A test that failed. */
export interface Failure {
  /** Path of its test file. */
  readonly file: string
  /** Name of the test; of the file where that failed as a whole. */
  readonly name: string
  /** First lines of what it threw. */
  readonly error: string
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

/** The reporter. */
export default async function* failureList(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== 'test:fail' || event.data.todo !== undefined) continue
    const { name, file, details } = event.data
    const failure: Failure = { file: file ?? name, name, error: textOf(details.error) }
    yield `${JSON.stringify(failure)}\n`
  }
  yield `${END_LINE}\n`
}
