// An X server without a screen, for programs that want a window (Debian's package xvfb).

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitFor } from '../wait-for.ts'

/** Where windows are drawn. */
export interface Screen {
  /** DISPLAY of programs. */
  readonly display: string
  close(): Promise<void>
}

/** Starts one of so many points, with more arguments of Xvfb. End it with close(). */
export async function startScreen(width = 1280, height = 900, more: readonly string[] = []): Promise<Screen> {
  const screen = ['-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', ...more]
  const server = spawn('Xvfb', ['-displayfd', '1', ...screen], { stdio: ['ignore', 'pipe', 'ignore'] })
  endWithThisProcess(server)
  let told = ''
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  await waitFor('a screen', () => told.includes('\n') || server.exitCode !== null, 20_000)
  if (!told.includes('\n')) throw new Error('Xvfb did not start')
  const display = `:${told.trim()}`
  return { display, close: () => ended(server) }
}

/** Kills a child at the latest when this process ends. */
export function endWithThisProcess(child: ChildProcess): void {
  const kill = (): boolean => child.kill('SIGKILL')
  process.on('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Ends a child that is still there, and waits for that. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGKILL'), 5000)
  child.kill('SIGTERM')
  await gone
  clearTimeout(late)
}
