// How the command's own process ends where something in it does not: Node waits for every thread before it exits, for
// those that a stalled disk or a silent name server holds too, and process.exit() as well. Only for the process of the
// command line: a program with a node inside ends itself (decision 0475).

import { createRequire } from 'node:module'
import { checkMachineCodeOnce } from '../io/process/machine-code.ts'

/** The parts of koffi in use. */
interface Koffi {
  load(path: null): { func(prototype: string): (status: number) => void }
}

/** A node that has stopped and is still there after this long, ms, is held by something. */
const GRACE_MS = 250

/**
 * Ends the process now, with this exit code, and waits for nothing: for after everything was stored. `_exit` of the C
 * library, which the first process of a container may call too; where koffi is missing, or not what this version was
 * made with, a signal does it, SIGTERM for code 0, which service managers take for an orderly end, else SIGKILL. The
 * first process of a container, to which the kernel brings no signal of itself, then has the trap left that abort()
 * ends in: it ends as failed, but it ends.
 */
export function endNow(code: number): void {
  try {
    checkMachineCodeOnce(['koffi'])
    const koffi = createRequire(import.meta.url)('koffi') as Koffi
    koffi.load(null).func('void _exit(int status)')(code)
  } catch {
    // Without a listener the signal has its own meaning again.
    process.removeAllListeners('SIGTERM')
    process.kill(process.pid, code === 0 ? 'SIGTERM' : 'SIGKILL')
    process.abort()
  }
}

/** Ends with this exit code: by itself where nothing is left to wait for, else by endNow() after a moment. */
export function endSoon(code: number): void {
  process.exitCode = code
  setTimeout(() => endNow(code), GRACE_MS).unref()
}
