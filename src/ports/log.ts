// Logging, as every part sees it.

/** Levels, least important first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Structured lines: a message for people, fields for machines. Never throws. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
  /** A log whose lines carry the name of a part (`tracker`, `session`, ...). */
  part(name: string): Log
}
