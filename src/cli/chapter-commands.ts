// What a chapter adds to the command line.

import type { Command } from 'commander'
import type { PlainCommand } from './plain-command.ts'

/** Commands of one chapter. */
export interface ChapterCommands {
  /** Those that are one request. */
  readonly plain: readonly PlainCommand[]
  /** Names of groups of commands -> what they are about. */
  readonly groups: Readonly<Record<string, string>>
  /** Adds all others; `group` gives the command of a name of `groups`. */
  add(program: Command, group: (name: string) => Command): void
}
