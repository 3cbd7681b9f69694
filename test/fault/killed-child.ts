// Runs a child script of the build, reads its numbered acknowledgements, and kills it with SIGKILL in mid-work.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Starts `script` (a .js URL) and kills it once it has acknowledged `after` lines. Resolves with every whole line that
 * it wrote before it died. Rejects when it ends by itself. `lateMs`: the kill comes so much later.
 */
export function killAfter(script: URL, args: readonly string[], after: number, lateMs = 0): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(script), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('latin1')
    child.stdout.on('data', (chunk: string) => {
      text += chunk
      if (text.split('\n').length <= after) return
      if (lateMs === 0) child.kill('SIGKILL')
      else setTimeout(() => child.kill('SIGKILL'), lateMs)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the child ended by itself: ${code ?? signal}`))
      else resolve(text.split('\n').slice(0, -1))
    })
  })
}
