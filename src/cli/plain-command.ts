// What a command is that is one request: see plain-commands.ts.

import type { JsonObject } from './node-client.ts'

/** A parameter that may be left out. */
export interface PlainOption {
  /** As commander has it: `--hops <n>`. */
  readonly flags: string
  readonly parameter: string
  readonly text: string
  readonly read: (text: string) => string | number
}

/** A command that is one request. */
export interface PlainCommand {
  /** One or two words. */
  readonly words: string
  readonly method: string
  /** `{name}` is an argument. */
  readonly path: string
  readonly text: string
  /** Arguments that go into the query (GET) or the body, in their order. */
  readonly parameters?: readonly string[]
  /** Of these, those that are lists. */
  readonly lists?: readonly string[]
  /** Of these, those with a value when they are left out. */
  readonly defaults?: Readonly<Record<string, string>>
  /** Of these, paths of the node's machine: what is there from here is meant from here. */
  readonly paths?: readonly string[]
  /** Options of parameters that may be left out. */
  readonly options?: readonly PlainOption[]
  /** What people are shown of the answer; default: all of it. */
  readonly human?: (answer: JsonObject) => string
  /** The answer is no JSON. */
  readonly bytes?: true
}
