// From anything thrown to the error answer of spec part 7. An AppError is the caller's matter and is answered with its
// table status; everything else is a bug: 500, `handled: false`, the name as code, and no word of the stack.

import { AppError, type ErrorCode, errorTable } from '../base/errors.ts'
import type { HeaderList } from './header-block.ts'

/** An AppError with headers that belong to its answer. */
export class ErrorWithHeaders extends AppError {
  readonly headers: HeaderList

  constructor(code: ErrorCode, headers: HeaderList) {
    super(code)
    this.headers = headers
  }
}

/** The body of every error answer. */
export interface ErrorEnvelope {
  error: { handled: boolean; code: string; message: string }
}

/** An error as it is answered: status and envelope; `unexpected` ones are bugs to be reported. */
export interface ErrorAnswer {
  readonly status: number
  readonly envelope: ErrorEnvelope
  /** More headers, for example Allow or Retry-After. */
  readonly headers: HeaderList
  /** True for a bug, which the caller of this function has to report. */
  readonly unexpected: boolean
}

/** Seconds of Retry-After in a 503. */
const RETRY_AFTER_S = 2
/** Code of something thrown that has no usable name. */
const NAMELESS = 'Error'

/** The answer to a failure. `headers` are added to those the status demands. */
export function errorAnswer(error: unknown, headers: HeaderList = []): ErrorAnswer {
  if (error instanceof AppError) {
    const status: number = errorTable[error.code].status
    const retry: [string, string][] = status === 503 ? [['Retry-After', String(RETRY_AFTER_S)]] : []
    const envelope = { error: { handled: true, code: error.code, message: error.message } }
    const own = error instanceof ErrorWithHeaders ? error.headers : []
    return { status, envelope, headers: [...headers, ...own, ...retry], unexpected: false }
  }
  const isError = error instanceof Error
  const code = isError && /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(error.name) ? error.name : NAMELESS
  const message = isError && error.message !== '' ? firstLine(error.message) : 'An unexpected error occurred.'
  return { status: 500, envelope: { error: { handled: false, code, message } }, headers, unexpected: true }
}

// Some errors carry their stack or a whole report in the message; a client gets the first line only.
function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return (end === -1 ? text : text.slice(0, end)).slice(0, 500)
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  206: 'Partial Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  416: 'Range Not Satisfiable',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

const STATUS_LINES = new Map(Object.entries(STATUS_TEXT).map(([code, text]) => [Number(code), `${code} ${text}`]))

/** `status` with its reason phrase, as the status line has it. */
export function statusLine(status: number): string {
  return STATUS_LINES.get(status) ?? `${status} Unknown`
}
