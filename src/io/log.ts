// The log: one JSON object a line, to stderr and to a file under the state directory, written synchronously so that
// the last line before a crash is there. What is secret is blotted out here, whoever logs it. The file is bounded:
// it is turned over once, at start, when it has grown past its limit.

import { mkdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { pino, type Logger } from 'pino'
import type { Log, LogLevel } from '../ports/log.ts'

/** A log file larger than this becomes `.1` at the next start: two files of a size people still open. */
const TURN_OVER_BYTES = 32 * 1024 * 1024

/** The shortest secret worth hiding: blotting out shorter ones would mangle ordinary lines. */
const MIN_SECRET_LENGTH = 8

/** Where the log goes and what it keeps. */
export interface NodeLogOptions {
  readonly level: LogLevel
  /** Absolute path of the log file, null = stderr only. Its folder is made. */
  readonly file: string | null
  /** Also write to stderr. */
  readonly stderr: boolean
}

/** A log whose level can be changed and whose secrets can be told while it runs. */
export interface NodeLog extends Log {
  /** Absolute paths of the files that lines lie in, the newest first. */
  readonly files: readonly string[]
  setLevel(level: LogLevel): void
  /** From now on no line contains this text. */
  hide(secret: string): void
  /** Writes out and closes the file; lines after this go to stderr alone. */
  close(): void
}

interface Sink {
  write(line: string): void
}

/** Opens the log. Throws what the file system says when the file cannot be opened. */
export function openLog(options: NodeLogOptions): NodeLog {
  const secrets: string[] = []
  const file = options.file === null ? null : openFile(options.file)
  const stderr = options.stderr ? pino.destination({ dest: 2, sync: true }) : null
  // A closed terminal or pipe must not end the node.
  stderr?.on('error', () => undefined)
  let open = file !== null
  const sink: Sink = {
    write(line) {
      const clean = blotOut(line, secrets)
      stderr?.write(clean)
      if (open) file?.write(clean)
    },
  }
  const root = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    sink,
  )
  const loggers = new Set<Logger>([root])
  return {
    ...wrap(root, loggers),
    files: options.file === null ? [] : [options.file, `${options.file}.1`],
    setLevel(level) {
      for (const logger of loggers) logger.level = level
    },
    hide(secret) {
      if (secret.length >= MIN_SECRET_LENGTH && !secrets.includes(secret)) secrets.push(secret)
    },
    close() {
      if (open) file?.end()
      open = false
    },
  }
}

function openFile(file: string): ReturnType<typeof pino.destination> {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  turnOver(file)
  const destination = pino.destination({ dest: file, sync: true, append: true, mode: 0o600 })
  // A full disk must not end the node: the line is lost, stderr still has it.
  destination.on('error', () => undefined)
  return destination
}

function turnOver(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > TURN_OVER_BYTES) renameSync(file, `${file}.1`)
}

function blotOut(line: string, secrets: readonly string[]): string {
  let clean = line
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, '***')
  return clean
}

function wrap(logger: Logger, loggers: Set<Logger>): Log {
  const at = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
    if (fields === undefined) logger[level](message)
    else logger[level](readable(fields), message)
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    part(name) {
      const child = logger.child({ part: name })
      loggers.add(child)
      return wrap(child, loggers)
    },
  }
}

/** Errors in any field become text with a stack: pino only knows them under `err`. */
function readable(fields: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    out[key] = value instanceof Error ? (value.stack ?? value.message) : value
  }
  return out
}
