// The README's five minutes, pasted into bash line by line as a newcomer would: each line must end well. Only mpv gets
// extra flags, as there is no display.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestFolder } from '../kit/content/content-on-disk.ts'
import { cliPath } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs('netns', 'ffmpeg', 'mpv')
const MARK = 'status of line'

/** The lines of the tour. */
async function tourLines(): Promise<string[]> {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8')
  const tour = /<!-- tour[^\n]*\n([\s\S]*?)<!-- \/tour -->/.exec(readme)?.[1] ?? ''
  const blocks = [...tour.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  return blocks.flatMap(block => block.split('\n').filter(line => line.trim() !== ''))
}

test('every line of the five minutes works as pasted', { skip, timeout: 400_000 }, async () => {
  const lines = await tourLines()
  assert.ok(lines.length > 25, `${lines.length} lines`)
  const folder = await makeTestFolder()
  try {
    const wrapper = join(folder.path, 'mpv')
    await writeFile(
      wrapper,
      '#!/bin/sh\nexec /usr/bin/mpv --no-config --vo=null --ao=null --frames=50 --start=50% "$@"\n',
    )
    await chmod(wrapper, 0o755)
    const pasted = [...lines.flatMap((line, at) => [line, `echo "${MARK} ${at}: $?"`]), 'wait', ''].join('\n')
    const env = { ...process.env, PATH: `${folder.path}:${process.env['PATH']}`, TMPDIR: folder.path }
    const script = pasted.replaceAll('dist/src/bundle/tributary.cjs', cliPath)
    const shell = spawn('bash', ['-m', '-c', script], { cwd: projectRoot, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    shell.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    shell.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(shell, 'close')
    for (const [at, line] of lines.entries()) assert.ok(text.includes(`${MARK} ${at}: 0\n`), `${line}\n${text}`)
    assert.match(text, /VO: \[null\] 640x360/, text)
    assert.match(text, /█{24}\s+100%/, text)
    assert.match(text, /The API key lies in /, text)
  } finally {
    await folder.remove()
  }
})
