// The README's worked example, pasted into bash as a newcomer would. Only mpv gets extra flags, as there is no display.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestFolder } from '../kit/content-on-disk.ts'
import { cliPath } from '../kit/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs('netns', 'ffmpeg', 'transmission-create', 'curl', 'mpv')

test('the worked example works as pasted', { skip, timeout: 120_000 }, async () => {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8')
  const script = /<!-- worked example[^\n]*\n```bash\n([\s\S]*?)```/.exec(readme)?.[1]
  assert.ok(script, 'the README has a worked example')
  const folder = await makeTestFolder()
  try {
    const wrapper = join(folder.path, 'mpv')
    await writeFile(
      wrapper,
      '#!/bin/sh\nexec /usr/bin/mpv --no-config --vo=null --ao=null --frames=50 --start=50% "$@"\n',
    )
    await chmod(wrapper, 0o755)
    const pasted = script.replaceAll('dist/src/cli/main.js', cliPath)
    const env = { ...process.env, PATH: `${folder.path}:${process.env['PATH']}`, TMPDIR: folder.path }
    const shell = spawn('bash', ['-m', '-c', pasted], { cwd: projectRoot, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    shell.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    shell.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(shell, 'close')
    assert.match(text, /"started":true/, text)
    assert.match(text, /"status":"DLSTATUS_/, text)
    assert.match(text, /VO: \[null\] 640x360/, text)
  } finally {
    await folder.remove()
  }
})
