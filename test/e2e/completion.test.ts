// `tributary completion`, run by the shells themselves: what each of them offers for a line that is being typed.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCli } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

/** What a shell offers at the end of a line, without descriptions. */
type Completed = (line: string) => string[]

/** The words of the output of a shell. */
function outputOf(shell: string, args: readonly string[]): string[] {
  const { status, stdout, stderr, error } = spawnSync(shell, args, { encoding: 'utf8' })
  assert.ifError(error)
  assert.equal(`${status} ${stderr}`, '0 ', stdout)
  return stdout.split('\n').filter(line => line !== '')
}

function wordsOf(line: string): string {
  return line
    .split(' ')
    .map(word => `'${word}'`)
    .join(' ')
}

/** By the path of the script: as an argument it would be longer than Linux passes on (128 KiB). */
const completers: Readonly<Record<string, (script: string) => Completed>> = {
  bash: script => line => {
    const set = `COMP_WORDS=(${wordsOf(line)}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tributary`
    return outputOf('bash', ['-c', `. ${script}; ${set}; printf '%s\\n' "\${COMPREPLY[@]}"`])
  },
  // Without a line editor: what it would draw is printed.
  zsh: script => line => {
    const drawn = '_describe() { print -rl -- ${${(P)2}%%:*} }; _files() { print -- FILES }'
    const all = `compinit() { compdef() { : } }\n. ${script}\n${drawn}\nwords=(${wordsOf(line)}); CURRENT=$#words; _tributary`
    const typed = line.split(' ').at(-1) ?? ''
    return outputOf('zsh', ['-f', '-c', all]).filter(word => word === 'FILES' || word.startsWith(typed))
  },
  fish: script => line =>
    outputOf('fish', ['--no-config', '-c', `. ${script}; complete -C '${line}'`]).map(
      offer => offer.split('\t')[0] ?? '',
    ),
}

for (const [shell, completer] of Object.entries(completers)) {
  describe(`completion in ${shell}`, { skip: needs(shell) }, () => {
    let folder = ''
    let completed: Completed
    before(async () => {
      const { code, stdout } = await runCli(['completion', shell])
      assert.equal(code, 0)
      folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-completion-'))
      const script = path.join(folder, 'script')
      await writeFile(script, stdout)
      completed = completer(script)
    })
    after(() => rm(folder, { recursive: true, force: true }))

    test('commands, those below them, options, choices', () => {
      assert.deepEqual(completed('tributary rech'), ['recheck'])
      assert.deepEqual(completed('tributary settings hi'), ['history'])
      assert.deepEqual(completed('tributary add --pau'), ['--paused'])
      assert.deepEqual(completed('tributary updates unf'), ['unfollow'])
      assert.deepEqual(completed('tributary completion z'), ['zsh'])
    })

    test('below a command only its own words are offered, and no files', () => {
      assert.deepEqual(completed('tributary key ').toSorted(), ['add', 'list', 'remove', 'show'])
      // `add` is a command too.
      assert.deepEqual(completed('tributary keys add --pau'), [])
    })

    test('where a file is meant no command is offered', () => {
      const offered = completed('tributary add ')
      assert.ok(!offered.includes('ls') && !offered.includes('--paused'), offered.join(' '))
    })
  })
}

test('another shell is refused by name', async () => {
  const { code, stderr } = await runCli(['completion', 'tcsh'])
  assert.equal(code, 1)
  assert.match(stderr, /bash, zsh, fish/)
})
