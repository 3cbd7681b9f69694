// The whole face of a chapter: what it gives to a node, and to the command line.

import type { ChapterCommands } from '../cli/chapter-commands.ts'
import type { NodeChapter } from '../node/chapter.ts'

/** A chapter, as `chapter.ts` of its folder exports it. */
export interface Chapter extends NodeChapter {
  commands(): Promise<ChapterCommands>
}
