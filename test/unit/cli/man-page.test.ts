// The manual page: every command and option of --help is in it, and it is a page to those who read roff.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { Command } from 'commander'
import { manPage } from '../../../src/cli/man-page.ts'
import { addAllCommands } from '../../kit/all-commands.ts'
import { needs } from '../../kit/requirements.ts'

function program(): Command {
  const made = new Command('tributary').description('A node.').version('1.2.3')
  made.command('settings').description('Show the settings.')
  addAllCommands(made)
  return made
}

test('every command and option of the help is in it', () => {
  const made = program()
  const page = manPage(made)
  let count = 0
  const look = (command: Command): void => {
    const help = command.createHelp()
    for (const below of help.visibleCommands(command)) {
      if (below.name() === 'help') continue
      assert.ok(page.includes(`.SS ${help.commandUsage(below).replaceAll('-', '\\-')}\n`), below.name())
      for (const { long } of help.visibleOptions(below))
        assert.ok(long === '--help' || long === undefined || page.includes(long.replaceAll('-', '\\-')), long)
      count += 1
      look(below)
    }
  }
  look(made)
  assert.ok(count > 100, `${count} commands`)
  assert.doesNotMatch(page, /\.SS tributary man\b/, 'hidden commands are not shown')
})

test('texts are no requests of roff', () => {
  const made = new Command('tributary').description(".first\n\n'second \\fB third -4").version('1')
  made.command('one').description('.SH NOT A HEADING').addHelpText('after', '\nExit code: 0 done.')
  const page = manPage(made)
  for (const line of ['\\&.first', "\\&'second \\efB third \\-4", '\\&.SH NOT A HEADING', 'Exit code: 0 done.'])
    assert.ok(page.split('\n').includes(line), line)
})

test('mandoc finds nothing to complain about', { skip: needs('mandoc') }, () => {
  const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], {
    input: manPage(program()),
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  // Without a date the page has the same bytes whenever it is made.
  const complaints = stdout.split('\n').filter(line => line !== '' && !line.includes('missing date'))
  assert.deepEqual(complaints, [])
})
