// Every command that talks to a node or works on its state directory; loaded only when one of them, or the help, is
// asked for.

import type { Command } from 'commander'
import { addBackupCommands } from './backup-commands.ts'
import type { ChapterCommands } from './chapter-commands.ts'
import { addCompletionCommand } from './completion.ts'
import { addDownloadCommands } from './download-commands.ts'
import { addBansCommand } from './detail/ban-command.ts'
import { addEventsCommand } from './events-command.ts'
import { groupCommands } from './help-groups.ts'
import { addImportCommand } from './import-command.ts'
import { addLogCommand } from './log-command.ts'
import { addManCommand } from './man-page.ts'
import { addOpenCommand } from './opening/open-command.ts'
import { addPlainCommands } from './plain-commands.ts'
import { addPlayCommands } from './play-commands.ts'
import { addSettingsCommands } from './settings-commands.ts'
import { addSlowCommands } from './slow-command.ts'
import { addWatchingCommands } from './watching-commands.ts'

/** Adds them, with those of the chapters, to the commands that need no node. */
export function addNodeCommands(program: Command, chapters: readonly ChapterCommands[]): void {
  addDownloadCommands(program)
  addPlayCommands(program)
  addWatchingCommands(program)
  addSettingsCommands(program)
  addSlowCommands(program)
  addBansCommand(program)
  addEventsCommand(program)
  addLogCommand(program)
  addImportCommand(program)
  addOpenCommand(program)
  addPlainCommands(program, chapters)
  addBackupCommands(program)
  addCompletionCommand(program)
  addManCommand(program)
  groupCommands(program)
}
