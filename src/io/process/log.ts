// The log: one JSON object a line, to stderr and to a file under the state directory, written synchronously so that the
// last line before a crash is there. Secrets are removed here, whichever part logs them, and addresses of other people
// become tags, except in lines of level debug, which serve to find a fault. The file is bounded.

import { randomBytes } from 'node:crypto'
import { pino, type Logger } from 'pino'
import type { Secret } from '../../base/secret.ts'
import type { Log, LogLevel } from '../../ports/log.ts'
import { withoutAddresses, withoutSecrets } from './log-redaction.ts'
import { RotatingFile } from '../files/rotating-file.ts'

/** A log file larger than this becomes `.1`: files of a size people still open. */
const MAX_BYTES = 16 * 1024 * 1024
/** Older log files that are kept. */
const OLDER_FILES = 3
/** How a line of level debug begins. */
const DEBUG_LINE = '{"level":"debug"'

/** The shortest secret worth hiding: blotting out shorter ones would mangle ordinary lines. */
const MIN_SECRET_LENGTH = 8

const BLOT = Buffer.from('***')

/** Where the log goes and what it keeps. */
export interface NodeLogOptions {
  readonly level: LogLevel
  /** Levels of parts that have another one. */
  readonly levels?: ReadonlyMap<string, LogLevel>
  /** Absolute path of the log file, null = stderr only. Its folder is made. */
  readonly file: string | null
  /** Also write to stderr. */
  readonly stderr: boolean
}

/** A log whose level and secrets can be set while it runs. */
export interface NodeLog extends Log {
  /** Absolute paths of the files that lines lie in, the newest first. */
  readonly files: readonly string[]
  /** From now on, for parts that exist already too; `levels` as in the options. */
  setLevel(level: LogLevel, levels?: ReadonlyMap<string, LogLevel>): void
  /** From now on no line contains this text. */
  hide(secret: Secret): void
  /** Writes out and closes the file; lines after this go to stderr alone. */
  close(): void
}

interface Sink {
  write(line: string): void
}

/** Opens the log. Throws what the file system says when the file cannot be opened. */
export function openLog(options: NodeLogOptions): NodeLog {
  const secrets: Secret[] = []
  const salt = randomBytes(32)
  const file =
    options.file === null ? null : new RotatingFile({ path: options.file, maxBytes: MAX_BYTES, older: OLDER_FILES })
  const stderr = options.stderr ? pino.destination({ dest: 2, sync: true }) : null
  // A closed terminal or pipe must not end the node.
  stderr?.on('error', () => undefined)
  const sink: Sink = {
    write(line) {
      const hidden = withoutSecrets(blotOut(line, secrets))
      const clean = line.startsWith(DEBUG_LINE) ? hidden : withoutAddresses(hidden, salt)
      stderr?.write(clean)
      file?.write(clean)
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
  const levels = { common: options.level, parts: options.levels ?? new Map<string, LogLevel>() }
  const loggers = new Map<Logger, string>()
  const made = (logger: Logger, part: string): Logger => {
    loggers.set(logger, part)
    logger.level = levelOf(part, levels)
    return logger
  }
  return {
    ...wrap(made(root, ''), part => made(root.child({ part }), part)),
    files: file?.paths ?? [],
    setLevel(common, parts = new Map()) {
      Object.assign(levels, { common, parts })
      for (const [logger, part] of loggers) logger.level = levelOf(part, levels)
    },
    hide(secret) {
      if (secret.bytes.length >= MIN_SECRET_LENGTH && !secrets.includes(secret)) secrets.push(secret)
    },
    close() {
      file?.close()
    },
  }
}

interface Levels {
  common: LogLevel
  parts: ReadonlyMap<string, LogLevel>
}

function levelOf(part: string, { common, parts }: Levels): LogLevel {
  return parts.get(part) ?? common
}

/** Compared as bytes, so that the secret itself is no text in the heap. */
function blotOut(line: string, secrets: readonly Secret[]): string {
  let clean = line
  for (const { bytes: secret } of secrets) {
    const bytes = Buffer.from(clean)
    const parts: Buffer[] = []
    let from = 0
    for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, from)) {
      parts.push(bytes.subarray(from, at), BLOT)
      from = at + secret.length
    }
    if (from > 0) clean = Buffer.concat([...parts, bytes.subarray(from)]).toString()
  }
  return clean
}

/** `made`: the logger of a part; a part of a part names itself alone, so that no key is in a line twice. */
function wrap(logger: Logger, made: (part: string) => Logger): Log {
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
      return wrap(made(name), made)
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
