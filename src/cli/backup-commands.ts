// `backup` and `restore` of a state directory.

import type { Command } from 'commander'
import { failed, print } from './command-run.ts'

/** Adds both. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description(
      'Copy settings, keys and the store of a node to a new folder, also while it runs. Not the downloaded files.',
    )
    .argument('<folder>', 'it must not be there yet')
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .action(async (folder: string, flags: { stateDir?: string }) => {
      try {
        const [{ backUp }, { loadChapters }] = await Promise.all([
          import('../node/state/backup.ts'),
          import('../app/chapters.ts'),
        ])
        const kept = (await loadChapters()).map(chapter => chapter.kept)
        const files = await backUp(flags.stateDir ?? null, folder, kept)
        print(`${files.join('\n')}\n`)
      } catch (error) {
        failed(error)
      }
    })
  program
    .command('restore')
    .description('Put a backup into a state directory that has none yet. The node must not run.')
    .argument('<folder>', 'made by backup')
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .action(async (folder: string, flags: { stateDir?: string }) => {
      try {
        const [{ restore }, { loadChapters }] = await Promise.all([
          import('../node/state/backup.ts'),
          import('../app/chapters.ts'),
        ])
        const kept = (await loadChapters()).map(chapter => chapter.kept)
        const files = await restore(flags.stateDir ?? null, folder, kept)
        print(`${files.join('\n')}\n`)
      } catch (error) {
        failed(error)
      }
    })
}
