// Every shell script of the project, those of the Debian package and the printed completion too, as shellcheck sees it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cliPath } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'

const FOLDERS = ['.ci', 'src', 'workers', 'test', 'bench']

function isShell(path: string): boolean {
  return /^#!.*\b(ba|da)?sh\b/.test(readFileSync(path, 'latin1').slice(0, 80))
}

function scripts(): string[] {
  const entries = FOLDERS.flatMap(folder =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true }),
  )
  const files = entries.filter(entry => entry.isFile() && !/\.(ts|tsx|json|md|png|jpg)$/.test(entry.name))
  return files.map(entry => join(entry.parentPath, entry.name)).filter(isShell)
}

function shellcheck(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('shellcheck', args, { encoding: 'utf8', input })
  return status === 0 ? '' : `${stdout}${stderr}`
}

test('shellcheck finds no fault in any script', { skip: needs('shellcheck') }, () => {
  const found = scripts()
  for (const name of [
    '.ci/run',
    'test/kit/netns',
    'src/deploy/deb/postinst',
    'src/deploy/deb/build',
    'src/deploy/release/make',
  ])
    assert.ok(found.includes(join(projectRoot, name)), name)
  assert.equal(shellcheck(found), '')
})

test('shellcheck finds no fault in the completion for bash', { skip: needs('shellcheck') }, () => {
  const { stdout } = spawnSync(process.execPath, [cliPath, 'completion', 'bash'], { encoding: 'utf8' })
  assert.ok(stdout.includes('COMPREPLY'))
  assert.equal(shellcheck(['-s', 'bash', '-'], stdout), '')
})
