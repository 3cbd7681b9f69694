// The command line of the program, but the commands that need no node.

import type { Command } from 'commander'
import { loadChapters } from '../../src/app/chapters.ts'
import { addNodeCommands } from '../../src/cli/node-commands.ts'

const chapters = await loadChapters()
const ofChapters = await Promise.all(chapters.map(chapter => chapter.commands()))

/** Adds every command that talks to a node, the core's and the chapters'. */
export function addAllCommands(program: Command): void {
  addNodeCommands(program, ofChapters)
}
